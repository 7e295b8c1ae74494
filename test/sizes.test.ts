import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import ts from 'typescript'
import * as assert from 'uvu/assert'
import { suite } from './support/suite.js'

// Checks every file of `src` for a first comment that states its job, and for a limited size.
const src = join(process.cwd(), 'src')
const test = suite('sizes')

/** Files over this many lines have more than one job. */
const MAX_LINES = 400
/** Nine of ten files have at most this many lines. */
const LARGE_LINES = 190

const found = await readdir(src, { recursive: true, withFileTypes: true })
const sources = await Promise.all(
  found
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      return { path: relative(src, path), text: await readFile(path, 'utf8') }
    }),
)
const linesOf = ({ text }: { text: string }): number => text.split('\n').length - 1
const withoutJob = (files: readonly { path: string; text: string }[]): string[] =>
  files.filter(({ text }) => !/^(?:#!.*\n)?\/[/*]/.test(text)).map(({ path }) => path)

test('every file starts with a comment that states its job', () => {
  assert.ok(sources.length > 1000)
  assert.equal(withoutJob([{ path: 'planted.ts', text: "import { join } from 'node:path'\n" }]), ['planted.ts'])
  assert.equal(withoutJob(sources), [])
})

test('no file is too large', () => {
  assert.equal(
    sources.filter((source) => linesOf(source) > MAX_LINES).map(({ path }) => path),
    [],
  )
  const sizes = sources.map(linesOf).sort((a, b) => a - b)
  assert.ok((sizes[Math.floor(sizes.length * 0.9)] as number) <= LARGE_LINES)
})

/**
 * The number of type assertions (`x as T`, without `as const`) and of `x!` in `src`. They may only decrease: lower them
 * after removing some.
 */
const MAX_ASSERTIONS = { as: 386, '!': 31 }

function assertionsIn({ path, text }: { path: string; text: string }): { as: number; '!': number } {
  const found = { as: 0, '!': 0 }
  const visit = (node: ts.Node): void => {
    if (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)) found.as++
    if (ts.isNonNullExpression(node)) found['!']++
    node.forEachChild(visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest))
  return found
}

test('the number of type assertions does not increase', () => {
  const planted = {
    path: 'planted.ts',
    text: 'const a = b as C\nconst d = [e!] as const\nconst f = g as unknown as H\n',
  }
  assert.equal(assertionsIn(planted), { as: 3, '!': 1 })
  const counts = sources.map(assertionsIn)
  for (const kind of ['as', '!'] as const) {
    const count = counts.reduce((sum, found) => sum + found[kind], 0)
    assert.ok(
      count <= MAX_ASSERTIONS[kind],
      `src has ${count} of \`${kind}\`, and at most ${MAX_ASSERTIONS[kind]} are allowed. Type the value where it comes from, use a type guard, or \`required\` of kernel/defined.ts for a value that must exist.`,
    )
    assert.is(count, MAX_ASSERTIONS[kind], `src has only ${count} of \`${kind}\`. Lower MAX_ASSERTIONS to this number.`)
  }
})

test.run()
