/** The weight of the app's files, compressed, as a browser loads them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
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

test('the shell has at most 45 KB: its script, the imported modules and the style sheet', () => {
  const { script, imports, style, theme } = here.manifest
  const shell = weigh([script, theme, style, ...imports])
  assert.ok(shell > 10 * KIB && shell <= 45 * KIB, `${shell} bytes`)
})

test('the editor adds at most 150 KB to the shell', () => {
  const { script, imports, files } = here.manifest
  const editor = files.find((name: string) => /^editor-.*\.js$/.test(name))
  const importsOf = (name: string): string[] =>
    [
      ...readFileSync(join(here.folder, name), 'utf8').matchAll(/(?:from|import)\s*"(?:\.|\/~desk)\/([\w-]+\.js)"/g),
    ].map(([, file]) => file as string)
  const own = new Set<string>([editor])
  for (const name of own) for (const file of importsOf(name)) own.add(file)
  for (const name of [script, ...imports]) own.delete(name)
  const weight = weigh([...own])
  assert.ok(weight > 50 * KIB && weight <= 150 * KIB, `${weight} bytes`)
})

test.run()
