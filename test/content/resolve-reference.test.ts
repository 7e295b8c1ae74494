import * as assert from 'uvu/assert'
import { idOf } from '../../src/content/identity.js'
import { resolveReference } from '../../src/content/resolve-reference.js'
import { readStructure } from '../../src/content/structure.js'
import { memoryTree } from '../support/memory-tree.js'
import { inPlace } from '../../src/content/work/direct.js'
import { suite } from '../support/suite.js'

const test = suite('content: targets of references')
const files: Record<string, string> = {
  '.gitbook.yaml': 'root: docs',
  'docs/SUMMARY.md': '* [Home](README.md)\n* [Guide](guide/README.md)\n  * [One](guide/one.md)\n* [Sp](s%20p.md)\n',
  'docs/README.md': '',
  'docs/guide/README.md': '',
  'docs/guide/one.md': '',
  'docs/guide/a:b.md': '',
  'docs/s p.md': '',
  'docs/unlisted.md': '',
  'docs/.gitbook/assets/i (1).png': '',
  'outside.txt': '',
}
const structure = await readStructure(memoryTree(files), idOf(new Map()), inPlace)
const one = structure.byGitPath.get('docs/guide/one.md')?.id ?? ''
const resolve = (target: string) => {
  const found = resolveReference(target, 'docs/guide/one.md', structure, (path) => Object.hasOwn(files, path))
  return Object.values({ ...found, ...('entry' in found ? { entry: '' } : {}) })
    .filter((value) => value !== '')
    .join(' ')
}

for (const [target, expected] of [
  ['README.md', 'page docs/guide/README.md'],
  ['./', 'page docs/guide/README.md'],
  ['.', 'page docs/guide/README.md'],
  ['..', 'page docs/README.md'],
  ['one', 'page docs/guide/one.md'],
  ['../README.md#top', 'page docs/README.md top'],
  ['one.html#x', 'page docs/guide/one.md x'],
  ['/guide/one.html', 'page docs/guide/one.md'],
  ['../s%20p.html', 'page docs/s p.md'],
  ['../index.html', 'page docs/README.md'],
  ['index.html', 'page docs/guide/README.md'],
  ['../unlisted.html', 'broken'],
  ['.html', 'broken'],
  ['/guide/one.md', 'page docs/guide/one.md'],
  ['/', 'page docs/README.md'],
  ['../s%20p.md', 'page docs/s p.md'],
  ['../s p.md', 'page docs/s p.md'],
  ['../s%20p.md?x=1#y', 'page docs/s p.md y'],
  ['#part', 'anchor docs/guide/one.md part'],
  ['#', 'anchor docs/guide/one.md'],
  ['../unlisted.md#x', 'file docs/unlisted.md x'],
  ['a:b.md', 'file docs/guide/a:b.md'],
  ['/.gitbook/assets/i (1).png', 'file docs/.gitbook/assets/i (1).png'],
  ['../../outside.txt', 'file outside.txt'],
  ['../../../outside.txt', 'broken'],
  ['gone.md', 'broken'],
  ['', 'broken'],
  ['%00', 'broken'],
  ['%zz', 'broken'],
  ['broken-reference', 'broken'],
  ['/broken/pages/AbC', 'broken AbC'],
  ['/broken/spaces/x', 'broken'],
  ['https://a.example/x#y', 'url https://a.example/x#y'],
  ['HTTP://a.example', 'url HTTP://a.example'],
  ['//a.example', 'url //a.example'],
  ['mailto:a@example.com', 'mailto mailto:a@example.com'],
  ['JavaScript:alert(1)', 'unsafe JavaScript:alert(1)'],
  ['data:text/html,x', 'unsafe data:text/html,x'],
  [`/pages/${one}`, 'page docs/guide/one.md'],
  ['/pages/guide/one', 'page docs/guide/one.md'],
  ['/pages/guide/one.md#a', 'page docs/guide/one.md a'],
  ['/pages/gone', 'broken'],
] as const) {
  test(`${JSON.stringify(target)} is ${expected}`, () => assert.is(resolve(target), expected))
}

test.run()
