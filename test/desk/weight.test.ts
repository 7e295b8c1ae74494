/** The weight of the app's files, compressed, as a browser loads them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gzipSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import { buildDesk } from '../../scripts/build-browser.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('desk/weight', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bindery-desk-'))
  await buildDesk(folder)
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  return { folder, manifest, close: async () => rmSync(folder, { recursive: true }) }
})

const KIB = 1024
const weigh = (names: readonly string[]): number =>
  names.reduce((sum, name) => sum + gzipSync(readFileSync(join(here.folder, name)), { level: 9 }).length, 0)
const shellFiles = (): string[] => {
  const { script, imports, style, early } = here.manifest
  return [script, early, style, ...imports]
}

/** Returns the files of a part and those that they import, without the shell and other parts. */
function filesOf(part: string, without: readonly string[] = []): string[] {
  const start = here.manifest.files.find((name: string) => new RegExp(`^${part}-\\w{8}\\.js$`).test(name))
  const own = new Set<string>([start])
  for (const name of own) {
    const text = readFileSync(join(here.folder, name), 'utf8')
    for (const [, file = ''] of text.matchAll(/(?:from|import)\s*"(?:\.|\/~desk)\/([\w-]+\.js)"/g)) own.add(file)
  }
  for (const name of [...shellFiles(), ...without]) own.delete(name)
  return [...own]
}

test('the shell has at most 45 KB: its script, the imported modules and the style sheet', () => {
  const shell = weigh(shellFiles())
  assert.ok(shell > 10 * KIB && shell <= 45 * KIB, `${shell} bytes`)
})

test('the editor adds at most 150 KB to the shell, and what typing needs is at most 95 KB of it', () => {
  const first = filesOf('editor')
  const tools = filesOf('tools', first)
  const [weight, whole] = [weigh(first), weigh([...first, ...tools])]
  assert.ok(weight > 50 * KIB && weight <= 95 * KIB, `${weight} bytes until the text can be edited`)
  assert.ok(tools.length > 0 && whole <= 150 * KIB, `${whole} bytes`)
})

test('the merge view adds at most 20 KB to the editor and the screen of conflicts', () => {
  const view = filesOf('merge-editor', [...filesOf('editor'), ...filesOf('tools'), ...filesOf('conflicts')])
  const weight = weigh(view)
  assert.ok(weight > 5 * KIB && weight <= 20 * KIB, `${weight} bytes`)
})

test('no first screen loads more than ten scripts', () => {
  const { script, imports, screens } = here.manifest
  for (const { pattern, files } of screens) {
    const count = [script, ...imports, ...files].length
    assert.ok(count <= 10, `${pattern}: ${count}`)
  }
})

test('scripts and style sheets are compressed in advance', () => {
  for (const name of shellFiles())
    assert.equal(
      brotliDecompressSync(readFileSync(join(here.folder, `${name}.br`))),
      readFileSync(join(here.folder, name)),
    )
})

test.run()
