// Asks for each address in three ways and says what came of it: `WAY ADDRESS STATUS TEXT`, or a word for the failure.
import http from 'node:http';
import https from 'node:https';

const old = (address) =>
  new Promise((done, failed) => {
    const ask = address.startsWith('https:') ? https.get : http.get;
    ask(address, (answer) => {
      let text = '';
      answer.on('data', (part) => (text += part));
      answer.on('end', () => done(`${answer.statusCode} ${text}`));
      answer.on('error', failed);
    }).on('error', failed);
  });
const modern = async (address) => {
  const answer = await fetch(address);
  return `${answer.status} ${await answer.text()}`;
};
for (const address of process.argv.slice(2)) {
  for (const [name, way] of [['fetch', modern], ['get', old]]) {
    let came;
    try {
      came = await way(address);
    } catch (error) {
      came = `failed ${error.cause?.code ?? error.code ?? error.message}`;
    }
    console.log(`${name} ${address} ${came.trim()}`);
  }
}
