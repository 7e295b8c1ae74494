import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import type TypeScript from 'typescript'
import * as assert from 'uvu/assert'
import { suite } from './support/suite.js'

// Checks every file of `src` for a first comment that states its job, a limited size, and functions of a limited length.
const src = join(process.cwd(), 'src')
const test = suite('sizes')
// The compiler does not work inside a bundle.
const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript

/** Files over this many lines have more than one job. */
const MAX_LINES = 400
/** Nine of ten files have at most this many lines. */
const LARGE_LINES = 200

/** Functions over this many lines have more than one job. */
const MAX_FUNCTION_LINES = 60

const found = await readdir(src, { recursive: true, withFileTypes: true })
const sources = await Promise.all(
  found
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts'))
    .map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      return { path: relative(src, path), text: await readFile(path, 'utf8') }
    }),
)
const linesOf = ({ text }: { text: string }): number => text.split('\n').length - 1
const withoutJob = (files: readonly { path: string; text: string }[]): string[] =>
  files.filter(({ text }) => !/^(?:#!.*\n)?\/[/*]/.test(text)).map(({ path }) => path)
/** Lists the functions over 60 lines as `file: name (n lines)`. A function without a name has that of its variable. */
function longFunctions({ path, text }: { path: string; text: string }): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const lineAt = (offset: number): number => file.getLineAndCharacterOfPosition(offset).line
  const long: string[] = []
  const visit = (node: TypeScript.Node, outer: string): void => {
    const name = (node as Partial<TypeScript.NamedDeclaration>).name?.getText(file) ?? outer
    const lines = lineAt(node.end) - lineAt(node.getStart(file)) + 1
    if (ts.isFunctionLike(node) && 'body' in node && node.body && lines > MAX_FUNCTION_LINES)
      long.push(`${path}: ${name} (${lines} lines)`)
    ts.forEachChild(node, (child) => visit(child, name))
  }
  visit(file, 'module')
  return long
}

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

test('no function is too long', () => {
  const planted = (lines: number): string => `const f = () => {\n${'  g()\n'.repeat(lines - 2)}}\n`
  assert.equal(longFunctions({ path: 'planted.ts', text: planted(60) }), [])
  assert.equal(longFunctions({ path: 'planted.ts', text: planted(61) }), ['planted.ts: f (61 lines)'])
  assert.equal(sources.flatMap(longFunctions), [])
})

/**
 * The number of type assertions (`x as T`, without `as const`) and of `x!` in `src`. They may only decrease: lower them
 * after removing some.
 */
const MAX_ASSERTIONS = { as: 230, '!': 31 }

function assertionsIn({ path, text }: { path: string; text: string }): { as: number; '!': number } {
  const found = { as: 0, '!': 0 }
  const visit = (node: TypeScript.Node): void => {
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
  }
})

test.run()
