import { createHash } from 'node:crypto'
import * as assert from 'uvu/assert'
import { idOf } from '../../src/content/identity.js'
import { STRUCTURE_VERSION, structureFromLines, structureLines } from '../../src/content/stored-structure.js'
import { readStructure } from '../../src/content/structure.js'
import type { ContentStructure } from '../../src/content/types.js'
import { inPlace } from '../../src/content/work/direct.js'
import { inSlices } from '../../src/kernel/slices.js'
import { matchesGolden } from '../support/golden.js'
import { type MemoryFile, memoryTree } from '../support/memory-tree.js'
import { suite } from '../support/suite.js'
import { HONKIT, MDBOOK } from './book-files.js'

const test = suite('content: stored structures')

const NESTED = Array.from({ length: 80 }, (_, n) => `${'  '.repeat(n)}* [Deep ${n}](deep/${n}.md)\n`).join('')
const MANY = Array.from({ length: 1_200 }, (_, n) => n)
const RICH: Record<string, MemoryFile> = {
  '.gitbook.yaml': 'root: docs\nredirects:\n  old: one.md\n  lost: nowhere.md\n',
  'docs/SUMMARY.md': `# Table of contents

* [Welcome](README.md)
* [Öne](one.md)
  * [Part](one.md#part)
  * [Again](one.md)
* [Web](https://example.com/a?b)
* [Soon]()
* [Missing](missing.md)

## API <a href="#api" id="api"></a>

* [Picture](.gitbook/assets/a.png)
* \`\`\`yaml
  type: builtin:openapi
  dependencies:
    spec:
      ref:
        kind: openapi
        spec: petstore
  \`\`\`

## API

${NESTED}
${MANY.map((n) => `* [Page ${n}](many/${n}.md)\n`).join('')}`,
  'docs/README.md': '',
  'docs/one.md': '',
  'docs/unlisted.md': '',
  'docs/link.md': { mode: '120000', content: 'one.md' },
  'docs/lost.md': { mode: '120000', content: 'nowhere.md' },
  'docs/.gitbook/assets/a.png': 'a',
  'docs/.gitbook/includes/shared.md': '---\ntitle: Shared\n---\n',
  'docs/.gitbook/vars.yaml': 'product: Bindery\n',
  'docs/.gitbook/tags.yaml': '- tag: new\n  label: New\n  color: red\n',
  'outside.md': '',
  ...Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`docs/deep/${n}.md`, ''])),
  ...Object.fromEntries(MANY.map((n) => [`docs/many/${n}.md`, ''])),
}
const CASES: Record<string, Record<string, MemoryFile>> = {
  RICH,
  MDBOOK,
  HONKIT,
  inferred: { 'README.md': '# Home', 'a/b.md': '', 'a/README.md': '' },
  empty: {},
}

const read = (files: Record<string, MemoryFile>): Promise<ContentStructure> =>
  readStructure(memoryTree(files), idOf(new Map([['page\0one.md', 'overridden-id-000000']])), inPlace)
const encode = async (structure: ContentStructure): Promise<string[]> =>
  (await inSlices(structureLines(structure, 10_000_000))) ?? []

/** The maps of a structure as lists, because their order also counts. */
const ordered = (structure: ContentStructure): unknown => ({
  ...structure,
  byId: [...structure.byId],
  byGitPath: [...structure.byGitPath],
  byPath: [...structure.byPath],
  symlinks: [...structure.symlinks],
})

for (const [name, files] of Object.entries(CASES))
  test(`a decoded structure equals the encoded one (${name})`, async () => {
    const structure = await read(files)
    const decoded = await structureFromLines(await encode(structure))
    assert.equal(ordered(decoded), ordered(structure))
    for (const [id, entry] of decoded.byId) assert.is(decoded.byPath.get(entry.path)?.id, id)
    for (const page of decoded.byGitPath.values()) assert.is(decoded.byId.get(page.id), page)
  })

test('a structure above the limit is not encoded, and damaged lines are rejected', async () => {
  const structure = await read(RICH)
  assert.is(await inSlices(structureLines(structure, 10_000)), null)
  const lines = await encode(structure)
  for (const damaged of [[], ['{'], [lines[0] ?? '', '{"pages":[[3,"id","slug","title","file.md",null,null]]}']]) {
    const result = await structureFromLines(damaged).catch((error: unknown) => error)
    assert.instance(result, Error)
  }
})

test('the version of stored structures increases when they change', async () => {
  const digests: Record<string, string> = {}
  for (const [name, files] of Object.entries(CASES))
    digests[name] = createHash('sha256')
      .update((await encode(await read(files))).join('\n'))
      .digest('hex')
  // If only the digests differ, increase STRUCTURE_VERSION before you update this file.
  matchesGolden('stored-structures', { version: STRUCTURE_VERSION, digests })
})

test.run()
