//! `connector`: from a template or a client's configuration to another, with what is lost on the way.

use std::fs;

use insta::assert_snapshot;
use kitbag_testkit::folder::Folder;

use crate::kitbag;

const TEMPLATE: &str = r#"{
  "schema_version": 1, "kind": "open-science.connector", "name": "papers", "display_name": "Papers",
  "transport": "streamable_http", "url": "https://papers.example.test/mcp",
  "required_secrets": {"headers": ["X-Api-Key"]}
}"#;

const CONFIGURATION: &str = r#"{"mcpServers": {
  "My Search": {"command": "npx", "args": ["-y", "search"], "env": {"API_TOKEN": "test only"}},
  "bad": {"command": "x", "args": ["--api-key=test-only-secret"]}
}}"#;

fn folder() -> Folder {
    Folder::new().file("papers.json", TEMPLATE).file("mcp.json", CONFIGURATION)
}

#[test]
fn a_sound_template_is_a_yes() {
    let ran = kitbag(&folder(), &["connector", "check", "papers.json"]).ran();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_snapshot!(ran.stdout, @"papers.json  connector papers  ok");
    assert_snapshot!(ran.stderr, @"Connector template: 1 of 1 server is sound; no findings");
}

#[test]
fn a_server_that_is_refused_does_not_spoil_the_others_and_no_secret_is_told() {
    let folder = folder();
    let ran = kitbag(&folder, &["connector", "import", "mcp.json", "-o", "."]).ran();
    assert_eq!(ran.code, Some(1));
    assert_snapshot!(ran.stdout, @"written: ./open-science-connector-my-search.json");
    assert!(ran.stderr.contains("1 of 2 servers is sound"), "{}", ran.stderr);
    assert!(ran.stderr.contains("open-science/connector-argument-secret"), "{}", ran.stderr);
    let written = fs::read_to_string(folder.at("open-science-connector-my-search.json")).unwrap();
    assert!(written.contains("API_TOKEN") && !written.contains("test only"), "{written}");
    // Once more: what is there stays, unless that is asked for.
    let again = kitbag(&folder, &["connector", "import", "mcp.json", "-o", "."]).ran();
    assert_eq!(again.code, Some(2), "{}", again.stderr);
    let forced = kitbag(&folder, &["connector", "import", "mcp.json", "-o", ".", "--force"]).ran();
    assert_eq!(forced.code, Some(1), "{}", forced.stderr);
}

#[test]
fn each_client_is_told_in_its_own_words() {
    let exported = |client: &str| {
        let ran = kitbag(&folder(), &["connector", "export", "papers.json", "--client", client]).ran();
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(ran.stderr.contains("left out: /display_name"), "{}", ran.stderr);
        ran.stdout
    };
    assert_snapshot!(exported("claude-code"), @r#"
    {
      "mcpServers": {
        "papers": {
          "type": "http",
          "url": "https://papers.example.test/mcp",
          "headers": {
            "X-Api-Key": "${PAPERS_X_API_KEY}"
          }
        }
      }
    }
    "#);
    assert_snapshot!(exported("codex"), @r#"
    [mcp_servers.papers]
    url = "https://papers.example.test/mcp"
    env_http_headers = { X-Api-Key = "PAPERS_X_API_KEY" }
    "#);
    assert_snapshot!(exported("cursor"), @r#"
    {
      "mcpServers": {
        "papers": {
          "url": "https://papers.example.test/mcp",
          "headers": {
            "X-Api-Key": "${env:PAPERS_X_API_KEY}"
          }
        }
      }
    }
    "#);
    assert_snapshot!(exported("gemini-cli"), @r#"
    {
      "mcpServers": {
        "papers": {
          "httpUrl": "https://papers.example.test/mcp",
          "headers": {
            "X-Api-Key": "${PAPERS_X_API_KEY}"
          }
        }
      }
    }
    "#);
    assert_snapshot!(exported("vscode"), @r#"
    {
      "inputs": [
        {
          "type": "promptString",
          "id": "papers-X-Api-Key",
          "description": "the header X-Api-Key of Papers",
          "password": true
        }
      ],
      "servers": {
        "papers": {
          "type": "http",
          "url": "https://papers.example.test/mcp",
          "headers": {
            "X-Api-Key": "${input:papers-X-Api-Key}"
          }
        }
      }
    }
    "#);
}

#[test]
fn machines_get_the_losses_with_the_document() {
    let args = ["connector", "export", "papers.json", "--client", "codex", "--output", "json"];
    let ran = kitbag(&folder(), &args).ran();
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["command"], "connector export");
    assert_eq!(document["secrets"][0]["variable"], "PAPERS_X_API_KEY");
    assert_eq!(document["losses"][0]["pointer"], "/display_name");
    let ran = kitbag(&folder(), &["connector", "check", "mcp.json", "--output", "json"]).ran();
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, &document["ok"], &document["servers"]), (Some(1), &false.into(), &2.into()));
    assert_eq!(document["connectors"][0]["name"], "my-search");
    assert!(!ran.stdout.contains("test-only-secret"), "{}", ran.stdout);
}

#[test]
fn what_is_no_file_is_a_failure_and_what_is_no_json_a_no() {
    let ran = kitbag(&folder().file("broken.json", "{"), &["connector", "check", "broken.json"]).ran();
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let ran = kitbag(&folder(), &["connector", "check", "missing.json"]).ran();
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let ran = kitbag(&folder(), &["connector", "check", "."]).ran();
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
}
