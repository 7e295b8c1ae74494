import { mkdir } from 'node:fs/promises'
import { git } from '../../test/support/hermetic-git.js'
import { numbers } from './words.js'

/** Number of files per folder. */
const PER_FOLDER = 200
const WORDS =
  'the server keeps every page as markdown in a repository of its own so that a change can be read merged and taken back'.split(
    ' ',
  )

/** Returns markdown of about two kilobytes, similar to real pages. */
export function pageText(index: number, edition: number): string {
  const next = numbers(index * 7919 + edition)
  const sentence = (): string =>
    `${Array.from({ length: 8 + Math.floor(next() * 10) }, () => WORDS[Math.floor(next() * WORDS.length)]).join(' ')}.`
  const paragraph = (): string => Array.from({ length: 3 }, sentence).join(' ')
  const code = '```sh\nbindery serve --port 3000\n```'
  const parts = [
    `# Page ${index}`,
    paragraph(),
    '## Use',
    paragraph(),
    `- ${sentence()}\n- ${sentence()}`,
    code,
    '## More',
    paragraph(),
    paragraph(),
  ]
  return `---\ndescription: Page ${index} of many\n---\n\n${parts.join('\n\n')}\n`
}

export const pagePath = (index: number): string => `part-${Math.floor(index / PER_FOLDER)}/page-${index}.md`

function summary(pages: number): string {
  const lines = ['# Table of contents', '', '* [Welcome](README.md)']
  for (let i = 0; i < pages; i++) {
    if (i % PER_FOLDER === 0) lines.push('', `## Part ${i / PER_FOLDER}`, '')
    lines.push(`${i % 10 === 0 ? '' : '  '}* [Page ${i}](${pagePath(i)})`)
  }
  return `${lines.join('\n')}\n`
}

/** Returns the path of a source file, in folders like those of a program. */
const codePath = (index: number): string =>
  `src/area-${index % 12}/part-${Math.floor(index / 12) % 15}/unit-${Math.floor(index / 180)}/file-${index}.ts`

const codeText = (index: number, edition: number): string =>
  Array.from({ length: 20 }, (_, line) => `export const value_${line} = ${index * line + edition}\n`).join('')

/**
 * Creates a bare repository with README.md and this number of pages and commits. Each commit changes a few pages. `code`
 * is the number of source files: if it is not 0, three of four commits change source files instead. Repositories of
 * different `editions` have no page in common.
 */
export async function generateRepository(
  path: string,
  pages: number,
  commits: number,
  edition = 0,
  code = 0,
): Promise<void> {
  await mkdir(path, { recursive: true })
  await git(path, ['init', '--quiet', '--bare', '--initial-branch=main', '.'])
  await git(path, ['fast-import', '--quiet'], stream(pages, commits, edition, code))
  await git(path, ['repack', '-a', '-d', '-q'])
}

function stream(pages: number, commits: number, first: number, code: number): string {
  const parts: string[] = []
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`
  const put = (file: string, text: string): void => void parts.push(`M 100644 inline ${file}\n`, data(text))
  const next = numbers(pages)
  for (let edition = 0; edition < commits; edition++) {
    const who = `Writer ${edition % 7} <writer-${edition % 7}@example.org> ${1_700_000_000 + edition * 3600} +0000`
    parts.push(
      `commit refs/heads/main\nauthor ${who}\ncommitter ${who}\n`,
      data(edition === 0 ? 'Write the documentation\n' : `Edit ${edition}\n`),
    )
    if (edition === 0) {
      put('README.md', '# Welcome\n\nA generated documentation.\n')
      put('SUMMARY.md', summary(pages))
      for (let i = 0; i < pages; i++) put(pagePath(i), pageText(i, first))
      for (let i = 0; i < code; i++) put(codePath(i), codeText(i, first))
    } else if (code > 0 && edition % 4 > 0)
      for (let i = 0; i < 4; i++) {
        const file = Math.floor(next() * code)
        put(codePath(file), codeText(file, first + edition))
      }
    else
      for (let i = 0; i < 3; i++) {
        const page = Math.floor(next() * pages)
        put(pagePath(page), pageText(page, first + edition))
      }
  }
  return parts.join('')
}

/**
 * Returns markdown with the usual constructs of documentation pages: tags, tables, nested lists, links, notes, code.
 */
export function richText(index: number): string {
  const plain = pageText(index, 0).split('---\n').at(-1) as string
  const rows = Array.from(
    { length: 6 },
    (_, i) => `| \`option-${i}\` | ${WORDS.slice(i, i + 5).join(' ')} | [see](page-${index + i}.md) |`,
  ).join('\n')
  return [
    plain,
    `{% hint style="info" %}\nKeep **a copy** of [the key](../keys/page-${index}.md#copy), as _told_ before[^${index}].\n{% endhint %}`,
    `| Option | Meaning | More |\n|---|:-:|---|\n${rows}`,
    `1. First, \`run\` it:\n\n   \`\`\`yaml\n   key: value\n   \`\`\`\n2. Then look at ![the picture](../.gitbook/assets/picture-${index}.png)\n   * nested with {{ space.vars.name }}\n   * [ ] open, https://example.org/${index}`,
    `{% tabs %}\n{% tab title="One" %}\n> A quote with <mark style="color:red;">marked</mark> words\n{% endtab %}\n{% tab title="Two" %}\nText two.\n{% endtab %}\n{% endtabs %}`,
    `[^${index}]: A note.\n`,
  ].join('\n\n')
}
