import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import * as assert from 'uvu/assert'
import { check } from '../../src/commands/check.js'
import { type Format, print } from '../../src/commands/check-formats.js'
import { EXIT } from '../../src/start/operator/declaration.js'
import { folderBytes } from '../support/folder-bytes.js'
import { git } from '../support/hermetic-git.js'
import { moduleArguments } from '../support/own-process.js'
import { suite } from '../support/suite.js'

const test = suite('check command')

/** Runs the test in a folder with these files. */
const withFiles =
  (files: Record<string, string>, run: (dir: string) => Promise<void>): (() => Promise<void>) =>
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'check-'))
    try {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(dir, path)), { recursive: true })
        await writeFile(join(dir, path), content)
      }
      await run(dir)
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  }

/** Runs the command as a user without settings does. `folder` may be relative to `cwd`. */
async function run(cwd: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const main = moduleArguments('../../src/main.js', import.meta.url)
  const { PATH, TMPDIR } = process.env
  const env = { PATH, HOME: '/nonexistent', ...(TMPDIR === undefined ? {} : { TMPDIR }), BINDERY_PORT: 'ignored' }
  return promisify(execFile)(process.execPath, [...main, 'check', ...args], { cwd, env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

/** Checks a folder in this process. The last test runs the command, which takes a second for each start. */
async function checked(
  folder: string,
  format: Format = 'text',
  project?: string,
): Promise<{ code: number; output: string }> {
  const { text, problems } = await check(folder, { format, project })
  return { code: problems ? EXIT.problems : EXIT.done, output: text }
}

/** The problems of a folder: `file:line:column code`. */
async function problemsIn(folder: string, project?: string): Promise<string[]> {
  const { problems } = JSON.parse((await checked(folder, 'json', project)).output)
  return problems.map(
    ({ file, line, column, code }: Record<string, unknown>) =>
      `${[file, line, column].filter(Boolean).join(':')} ${code}`,
  )
}

const GITBOOK = {
  '.gitbook.yaml': 'root: ./docs/\n',
  'docs/SUMMARY.md': '# Summary\n\n* [Start](README.md)\n* [Guide](guide.md)\n* [Gone](gone.md)\n',
  'docs/README.md': '---\ndescription: "open\n---\n\n# Start\n',
  'docs/guide.md':
    '---\ncover: .gitbook/assets/none.png\n---\n\n# Guide\n\nSee [a](README.md#none), [b](nothing.md)\nand [b](nothing.md).\n\n![x](<my picture.png>)\n',
}

test(
  'broken links, anchors, files and diagnostics have a file and line, and the exit code is 1',
  withFiles(GITBOOK, async (dir) => {
    assert.equal(await problemsIn(dir), [
      'docs/README.md:3:1 invalid-front-matter',
      'docs/SUMMARY.md:5 missing-file',
      'docs/guide.md:2:8 broken-link',
      'docs/guide.md:7:9 broken-link',
      'docs/guide.md:7:30 broken-link',
      'docs/guide.md:8:9 broken-link',
      'docs/guide.md:10:7 broken-link',
    ])
    assert.is((await checked(dir)).code, 1)
  }),
)

test(
  'content without problems has exit code 0 in each kind of repository',
  withFiles(
    {
      'honkit/book.json': '{"root": "./text"}',
      'honkit/text/README.md': '# Book\n\n[One](one.md#part)\n',
      'honkit/text/SUMMARY.md': '# Summary\n\n* [Book](README.md)\n* [One](one.md)\n',
      'honkit/text/one.md': '# One\n\n## Part\n',
      'mdbook/book.toml': '[book]\ntitle = "B"\n',
      'mdbook/src/SUMMARY.md': '# Summary\n\n[Preface](preface.md)\n\n- [One](one.md)\n',
      'mdbook/src/preface.md': '# Preface\n\nSee [the API](../std/index.html) and [One](one.html#part).\n',
      'mdbook/src/one.md': '# One\n\n## Part\n',
      'plain/index.md': '# Plain\n\n[Deep](deep/page.md)\n',
      'plain/deep/page.md': '# Deep\n\n[Back](../index.md)\n',
    },
    async (dir) => {
      for (const [folder, pages] of Object.entries({ honkit: 2, mdbook: 2, plain: 2 })) {
        const { code, output } = await checked(join(dir, folder))
        assert.is(code, 0, output)
        assert.match(output, new RegExp(`${pages} pages checked: no problems`))
      }
    },
  ),
)

test(
  'a folder of a repository may link to its neighbors, and paths start at the root',
  withFiles(
    { 'docs/README.md': '# Docs\n\n[Code](../main.c)\n\n[Gone](../gone.c)\n', 'main.c': 'int main;\n' },
    async (dir) => {
      await git(dir, ['init', '-q'])
      const before = await folderBytes(dir)
      assert.equal(await problemsIn(join(dir, 'docs')), ['docs/README.md:5:8 broken-link'])
      assert.equal(await problemsIn(dir, 'docs'), ['docs/README.md:5:8 broken-link'])
      assert.equal(await folderBytes(dir), before)
      assert.is((await run(dir, '.', '--project', '../..')).code, EXIT.failed)
    },
  ),
)

test(
  'references to specifications are not reported, because only a server has them',
  withFiles(
    {
      'SUMMARY.md':
        '# Summary\n\n* [Start](README.md)\n* ```yaml\n  type: builtin:openapi\n  props:\n    models: true\n  dependencies:\n    spec:\n      ref:\n        kind: openapi\n        spec: petstore\n  ```\n',
      'README.md':
        '# Start\n\n{% openapi-operation spec="petstore" path="/pets" method="get" %}\n{% endopenapi-operation %}\n',
    },
    async (dir) => {
      const { code, output } = await checked(dir)
      assert.is(code, 0, output)
      assert.match(output, /references? to OpenAPI specifications cannot be checked without a server/)
    },
  ),
)

test(
  'files above the limit and repositories within the folder are left out',
  withFiles({ 'README.md': '# Start\n', 'large.bin': '', 'inner/README.md': '# Inner\n' }, async (dir) => {
    await truncate(join(dir, 'large.bin'), 101 * 1024 * 1024)
    await git(join(dir, 'inner'), ['init', '-q'])
    await git(join(dir, 'inner'), ['add', '-A'])
    await git(join(dir, 'inner'), ['commit', '-qm', 'Inner'])
    await git(dir, ['init', '-q'])
    const { code, output } = await checked(dir)
    assert.is(code, 0, output)
    assert.match(output, /large\.bin is left out/)
    assert.match(output, /inner\/ is left out: it is another Git repository/)
    assert.match(output, /1 page checked/)
  }),
)

/** Checks the rules of the SARIF 2.1.0 schema that a result must meet. */
function assertSarif(log: any): void {
  assert.is(log.version, '2.1.0')
  assert.is(log.runs.length, 1)
  const [{ tool, results }] = log.runs
  const { rules } = tool.driver
  assert.type(tool.driver.name, 'string')
  assert.is(new Set(rules.map(({ id }: { id: string }) => id)).size, rules.length)
  for (const { ruleId, ruleIndex, level, message, locations } of results) {
    assert.is(rules[ruleIndex].id, ruleId)
    assert.ok(['none', 'note', 'warning', 'error'].includes(level))
    assert.ok(message.text.length > 0)
    assert.is(locations.length, 1)
    for (const { physicalLocation } of locations) {
      const { uri, uriBaseId } = physicalLocation.artifactLocation
      assert.is(uriBaseId, '%SRCROOT%')
      assert.not.match(uri, /^\/|^[a-z]+:|\s/i)
      const { startLine = 1, startColumn = 1 } = physicalLocation.region ?? {}
      assert.ok(Number.isInteger(startLine) && startLine >= 1 && Number.isInteger(startColumn) && startColumn >= 1)
    }
  }
}

test(
  'SARIF has rules and relative URIs, and GitHub annotations have escaped properties',
  withFiles({ 'README.md': '# Start\n', 'a b,c.md': '# B\n\n[x](50%.md)\n', 'æ:d.md': '# D\n' }, async (dir) => {
    const log = JSON.parse((await checked(dir, 'sarif')).output)
    assertSarif(log)
    const result = log.runs[0].results.find(({ ruleId }: { ruleId: string }) => ruleId === 'broken-link')
    assert.equal(result.locations[0].physicalLocation, {
      artifactLocation: { uri: 'a%20b%2Cc.md', uriBaseId: '%SRCROOT%' },
      region: { startLine: 3, startColumn: 5 },
    })
    const { output } = await checked(dir, 'github')
    assert.match(
      output,
      /^::error file=a b%2Cc\.md,line=3,col=5,title=Broken link::The link to "50%25\.md" is broken\./m,
    )
  }),
)

test('a message cannot contain another workflow command or control a terminal', () => {
  const problems = [
    { level: 'error' as const, code: 'broken-link' as const, message: 'a\n::set-env::\x1b[2J', file: 'x\n.md' },
  ]
  const result = { problems, pages: 1, specifications: 0, leftOut: [] }
  assert.is(print('github', result, '1'), '::error file=x%0A.md,title=Broken link::a%0A::set-env::\x1b[2J\n')
  assert.not.match(print('text', result, '1'), /\x1b|a\n/)
})

test(
  'the command prints to stdout, leaves no files, and exits with 2 if the folder is missing',
  withFiles(GITBOOK, async (dir) => {
    const found = await run(dir, 'docs/..')
    assert.is(found.code, 1, found.stderr)
    assert.match(found.stdout, /^docs\/guide\.md:7:30: error: The link to "nothing\.md" is broken\./m)
    const missing = await run(dir, 'nowhere')
    assert.equal([missing.code, missing.stdout], [2, ''])
    assert.match(missing.stderr, /nowhere is not a folder/)
    assert.is((await run(dir, '.', '--format', 'xml')).code, 2)
    assert.equal(
      (await readdir(tmpdir())).filter((name) => name.startsWith('bindery-preview-')),
      [],
    )
  }),
)

test.run()
