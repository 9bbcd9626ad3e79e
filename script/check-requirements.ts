// Checks that each requirement of docs/requirements.md has a test, or is listed in the table of requirements without a
// test. A test of a requirement names its number.
import { globSync, readFileSync } from 'node:fs';

const NUMBER = /\bR-[A-Z]+-\d{2}\b/g;
const COMMENT = /^\s*(\/\/|\*|\/\*).*$/gm;

const text = readFileSync('docs/requirements.md', 'utf8');
const listed = [...text.matchAll(/^- \*\*(R-[A-Z]+-\d{2})\*\*/gm)].map(([, number]) => number as string);
const known = new Set(listed);
const untested = new Set(
  [...text.matchAll(/^\| (R-[A-Z]+-\d{2}) \|/gm)].map(([, number]) => number as string),
);
const cited = new Map<string, string>();
for (const file of globSync('{contract,server,web,e2e}/**/*.test.{ts,tsx}', {
  exclude: ['**/node_modules/**'],
})) {
  const code = readFileSync(file, 'utf8').replaceAll(COMMENT, '');
  for (const [number] of code.matchAll(NUMBER)) cited.set(number, file);
}

const problems = [
  ...listed
    .filter((number, at) => listed.indexOf(number) < at)
    .map((number) => `${number} stands there twice`),
  ...[...known]
    .filter((number) => !cited.has(number) && !untested.has(number))
    .map((number) => `${number} has no test`),
  ...[...untested]
    .filter((number) => cited.has(number))
    .map((number) => `${number} has a test, and stands in the table of those without`),
  ...[...cited]
    .filter(([number]) => !known.has(number))
    .map(([number, file]) => `${number}, named in ${file}, is no requirement`),
];
for (const problem of problems) console.log(problem);
console.log(
  `${known.size} requirements, ${known.size - untested.size} to be tested, ${problems.length} problems`,
);
process.exitCode = problems.length > 0 || known.size === 0 ? 1 : 0;
