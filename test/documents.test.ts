import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { suite } from './support/suite.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const test = suite('documents')

const DOCUMENTS = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'docs/teams.md',
  'docs/administration.md',
  'docs/settings.md',
  'docs/concepts.md',
  'test/README.md',
]
const DESIGN = (await readdir(join(root, 'docs/design'))).map((name) => `docs/design/${name}`)
/** The allowed start of a path that a document names. */
const ROOTS = ['', 'src/', 'src/domain/', 'src/domain/commits/', 'src/domain/git-sync/', 'src/git/', 'test/']

/** Code paths that a text names in backticks: with a slash, and with the form of a file or folder. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`([a-z][\w.-]*\/[\w./-]*)`/g)]
    .map(([, path]) => path as string)
    .filter((path) => /\.(ts|cjs|sh)$|\/$/.test(path))

for (const document of [...DOCUMENTS, ...DESIGN])
  test(`${document} names only existing files and folders`, async () => {
    const text = await readFile(join(root, document), 'utf8')
    const missing = pathsIn(text).filter(
      (path) => !/^(repos|data|refs|lfs)\//.test(path) && !ROOTS.some((start) => existsSync(join(root, start, path))),
    )
    assert.equal(missing, [])
    const prose = text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '')
    const links = [...prose.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map(([, link]) => link as string)
    assert.equal(
      links.filter((link) => !existsSync(join(root, dirname(document), link))),
      [],
    )
  })

test('every folder of domain/ has a level in ARCHITECTURE.md', async () => {
  const text = await readFile(join(root, 'ARCHITECTURE.md'), 'utf8')
  const rows = [...text.matchAll(/^ *\| \d \|(.*)\|$/gm)].map(([row]) => row).join('\n')
  const rooms = await readdir(join(root, 'src/domain'))
  assert.equal(
    rooms.filter((room) => !rows.includes(`\`${room}\``)),
    [],
  )
})

test.run()
