import { around, fill, type Kind, lines } from './kind.js'

const anchors = (bytes: number): string =>
  lines(bytes, (number) => `a${number}: &a${number} [${number === 0 ? 'x' : `*a${number - 1}, *a${number - 1}`}]\n`)

/** YAML for front matter, `.gitbook.yaml` and `.gitbook/vars.yaml`. */
export const yaml: Kind[] = [
  { name: 'flow maps nested', make: (bytes) => `a: ${around('{a: ', 'b', '}', bytes - 8)}\n` },
  { name: 'flow lists nested', make: (bytes) => `a: ${around('[', 'b', ']', bytes - 8)}\n` },
  { name: 'flow maps left open', make: (bytes) => `a: ${fill('{a: ', bytes - 8)}\n` },
  {
    name: 'flow maps side by side',
    make: (bytes) =>
      lines(bytes, (number) => `k${number}: {${'a: {b: '.repeat(20)}c${'}}'.repeat(20)}\n`.replace('}}}', '}}')),
  },
  { name: 'one wide flow map', make: (bytes) => `a: {${lines(bytes - 10, (number) => `k${number}: v, `)}}\n` },
  { name: 'aliases that double', make: anchors },
  { name: 'keys deeper line by line', make: (bytes) => lines(bytes, (number) => `${' '.repeat(number % 2000)}a:\n`) },
  { name: 'lists in one line', make: (bytes) => `a:\n  ${fill('- ', bytes - 6)}b\n` },
  { name: 'keys', make: (bytes) => lines(bytes, (number) => `k${number}: v\n`) },
  { name: 'equal keys', make: (bytes) => fill('k: v\n', bytes) },
  { name: 'one long text', make: (bytes) => `a: "${fill('\\u0041', bytes - 8)}"\n` },
  { name: 'a quoted text left open', make: (bytes) => `a: "${fill('b\n ', bytes - 8)}` },
  { name: 'a block text', make: (bytes) => `a: |\n${fill('  b\n', bytes - 6)}` },
  { name: 'tags and anchors', make: (bytes) => lines(bytes, (number) => `k${number}: !!str &a${number} v\n`) },
  { name: 'comments', make: (bytes) => fill('# a\n', bytes) },
  { name: 'documents', make: (bytes) => fill('a: b\n...\n', bytes) },
  { name: 'a number of many digits', make: (bytes) => `a: ${fill('9', bytes - 5)}\n` },
  {
    name: 'redirects',
    make: (bytes) => `redirects:\n${lines(bytes - 12, (number) => `  old/${number}: new/${number}.md\n`)}`,
  },
]

/** Tables of contents. */
export const summaries: Kind[] = [
  { name: 'entries', make: (bytes) => lines(bytes, (number) => `* [Page ${number}](p${number}.md)\n`) },
  { name: 'entries of one page', make: (bytes) => fill('* [Home](README.md)\n', bytes) },
  { name: 'drafts of one title', make: (bytes) => fill('* [Same]()\n', bytes) },
  {
    name: 'entries deeper line by line',
    make: (bytes) => lines(bytes, (number) => `${'  '.repeat(number % 1000)}* [P ${number}](p${number}.md)\n`),
  },
  { name: 'groups', make: (bytes) => lines(bytes, (number) => `## Group\n\n* [P](p${number}.md)\n\n`) },
  { name: 'brackets left open', make: (bytes) => fill('* [[[[[[[[\n', bytes) },
  {
    name: 'backticks rising',
    make: (bytes) => `* [${lines(bytes - 20, (number) => `${'`'.repeat(number + 1)} `)}](a.md)\n`,
  },
  { name: 'one entry with a long title', make: (bytes) => `* [${fill('a *b* `c` ', bytes - 20)}](README.md)\n` },
  { name: 'html left open', make: (bytes) => fill('* <a href="\n', bytes) },
  { name: 'computed items left open', make: (bytes) => fill('* ```yaml\n  type: builtin:openapi\n', bytes) },
]
