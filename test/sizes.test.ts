import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
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

test.run()
