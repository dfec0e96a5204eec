/* A program that must not run: says so when it does. */
#include <stdio.h>
int main(void) { puts("RAN"); return 0; }
