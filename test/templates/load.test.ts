/** Tests templates from a folder of the operator: valid ones are loaded, and invalid ones are rejected by name. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { ConfigError, loadConfig } from '../../src/config.js'
import { loadTemplates } from '../../src/start/load-templates.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('templates of the operator')

type Files = Record<string, string | Buffer | { link: string }>

const good: Files = {
  'template.yaml': 'title: Notes\ndescription: Notes of a meeting.\n',
  'content/SUMMARY.md': '* [Notes](README.md)\n',
  'content/README.md': '# Notes\n',
}

/** Loads one template of a fresh folder without shipped ones. Returns its IDs and the log. */
async function load(files: Files, id = 'notes'): Promise<{ ids: string[]; logged: string[] }> {
  const dir = await mkdtemp(join(tmpdir(), 'bindery-templates-'))
  const logged: string[] = []
  try {
    for (const [path, content] of Object.entries(files)) {
      const target = join(dir, 'own', id, path)
      await mkdir(dirname(target), { recursive: true })
      if (typeof content === 'object' && 'link' in content) await symlink(content.link, target)
      else await writeFile(target, content)
    }
    await mkdir(join(dir, 'none'))
    const found = await loadTemplates(
      join(dir, 'own'),
      { error: (_: object, message: string) => void logged.push(message) } as never,
      join(dir, 'none'),
    )
    return { ids: [...found.keys()], logged }
  } finally {
    await rm(dir, { recursive: true })
  }
}

test('a folder with a description and a repository is a template', async () => {
  assert.equal(await load(good), { ids: ['notes'], logged: [] })
})

const broken: [why: string, files: Files, message: RegExp, id?: string][] = [
  ['no description', { 'content/README.md': 'x' }, /notes\/template\.yaml: is missing/],
  ['YAML that is none', { ...good, 'template.yaml': 'title: [\n' }, /notes\/template\.yaml: line \d/],
  [
    'an unknown key',
    { ...good, 'template.yaml': 'title: x\ndescription: y\nicon: z\n' },
    /notes\/template\.yaml: has the unknown key icon\. Use only title/,
  ],
  [
    'a title that is too long',
    { ...good, 'template.yaml': `title: ${'x'.repeat(101)}\ndescription: y\n` },
    /template\.yaml: title must be/,
  ],
  [
    'a reference to a file that is not there',
    { ...good, 'template.yaml': 'title: x\ndescription: y\ncontentRefs:\n  logo: {file: a.png, description: z}\n' },
    /contentRefs\.logo names a\.png/,
  ],
  [
    'no table of contents',
    { 'template.yaml': good['template.yaml'] as string, 'content/README.md': '# x\n' },
    /content\/SUMMARY\.md: is missing/,
  ],
  [
    'an entry without a file',
    { ...good, 'content/SUMMARY.md': '* [Notes](README.md)\n* [Gone](gone.md)\n' },
    /content\/SUMMARY\.md:2: .*gone\.md/,
  ],
  ['a page that is not listed', { ...good, 'content/more.md': '# More\n' }, /content\/more\.md: .*not listed/],
  [
    'a broken link',
    { ...good, 'content/README.md': '# Notes\n\n[x](gone.md)\n' },
    /content\/README\.md: has a link to gone\.md/,
  ],
  ['a stray file', { ...good, 'content/notes.txt': 'x' }, /content\/notes\.txt: is neither a page nor below/],
  ['a file next to the content', { ...good, 'readme.txt': 'x' }, /notes\/readme\.txt: is not part of a template/],
  ['a cover', { ...good, 'content/README.md': '---\ncover: x.png\n---\n# Notes\n' }, /README\.md: .*cover/],
  [
    'a first entry that is a group',
    { ...good, 'content/SUMMARY.md': '## Group\n\n* [Notes](README.md)\n' },
    /must start with a page/,
  ],
  [
    'a link to a script',
    { ...good, 'content/SUMMARY.md': '* [Notes](README.md)\n* [x](javascript:alert(1))\n' },
    /SUMMARY\.md:2: x must be a page, or a link/,
  ],
  [
    'a symbolic link',
    { ...good, 'content/passwd.md': { link: '/etc/passwd' } },
    /content\/passwd\.md: .*symbolic links are not followed/,
  ],
  [
    'a folder that is a symbolic link',
    { ...good, 'content/etc': { link: '/etc' } },
    /content\/etc: .*symbolic links are not followed/,
  ],
  [
    'a large file',
    { ...good, 'content/.gitbook/assets/x.bin': Buffer.alloc(1024 * 1024 + 1) },
    /x\.bin: exceeds the limit of 1048576 bytes/,
  ],
  [
    'too many files',
    { ...good, ...Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`content/.gitbook/assets/${n}`, 'x'])) },
    /exceeds the limit of 300 files/,
  ],
  [
    'too many bytes',
    {
      ...good,
      ...Object.fromEntries(
        Array.from({ length: 9 }, (_, n) => [`content/.gitbook/assets/${n}`, Buffer.alloc(1024 * 1024)]),
      ),
    },
    /exceeds the limit of 8388608 bytes/,
  ],
  ['deep folders', { ...good, 'content/a/b/c/d/e/f/g/h/i.md': '# x\n' }, /is more than 8 folders deep/],
  ['a name that is no ID', good, /Notes_1 is not a valid template name/, 'Notes_1'],
  ['a reserved name', good, /sample is not a valid template name/, 'sample'],
]
for (const [why, files, message, id] of broken)
  test(`a template with ${why} is skipped, and the log names the invalid file`, async () => {
    const { ids, logged } = await load(files, id)
    assert.equal([ids, logged.length], [[], 1], logged.join('\n'))
    assert.match(logged[0] as string, message)
  })

test('a service lists templates of a folder, which can replace shipped ones by ID', async () => {
  const own = await mkdtemp(join(tmpdir(), 'bindery-templates-'))
  for (const id of ['notes', 'changelog'])
    for (const [path, content] of Object.entries(good)) {
      await mkdir(dirname(join(own, id, path)), { recursive: true })
      await writeFile(join(own, id, path), content as string)
    }
  const here = await startService({ env: { BINDERY_TEMPLATES_DIR: own } })
  try {
    const { items } = (await here.admin.call('get', `/v1/orgs/${here.organization}/templates`).expect(200)).body
    assert.equal(
      items.map(({ id, title }: { id: string; title: string }) => [id, title]),
      [
        ['api-reference', 'API reference'],
        ['bindery', 'Tour of Bindery'],
        ['changelog', 'Notes'],
        ['handbook', 'Team handbook'],
        ['notes', 'Notes'],
        ['product-docs', 'Product documentation'],
      ],
    )
  } finally {
    await here.close()
    await rm(own, { recursive: true })
  }
})

test('a templates folder that does not exist is an invalid setting', () => {
  assert.throws(
    () => loadConfig({ BINDERY_TEMPLATES_DIR: '/nowhere/at/all' }),
    (error: Error) =>
      error instanceof ConfigError &&
      /BINDERY_TEMPLATES_DIR must be the path of an existing folder/.test(error.message),
  )
})

test.run()
