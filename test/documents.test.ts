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
/** How a path that a document names may begin. */
const ROOTS = ['', 'src/', 'src/domain/', 'src/domain/commits/', 'src/domain/git-sync/', 'src/git/', 'test/']

/** Paths of code that a text names in backticks: with a slash, and a file or folder by their form. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`([a-z][\w.-]*\/[\w./-]*)`/g)]
    .map(([, path]) => path as string)
    .filter((path) => /\.(ts|cjs|sh)$|\/$/.test(path))

for (const document of [...DOCUMENTS, ...DESIGN])
  test(`${document} names files and folders that are there`, async () => {
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

test('every room of domain/ has a floor in ARCHITECTURE.md', async () => {
  const text = await readFile(join(root, 'ARCHITECTURE.md'), 'utf8')
  const rows = [...text.matchAll(/^ *\| \d \|(.*)\|$/gm)].map(([row]) => row).join('\n')
  const rooms = await readdir(join(root, 'src/domain'))
  assert.equal(
    rooms.filter((room) => !rows.includes(`\`${room}\``)),
    [],
  )
})

test.run()
