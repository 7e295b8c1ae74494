import { git } from '../../support/hermetic-git.js'
import { type Random, pick } from '../../simulation/two-sided/random.js'

// Commits by a Git user who follows no conventions: dates that repeat or run backwards, parents from any history,
// modes and symbolic links over the same bytes.

/** The new content of a path: a file, the same bytes under another mode, or nothing. */
export type Entry = { text: string; mode?: '100644' | '100755' | '120000' } | null

export interface HandMade {
  ref?: string
  /** None = an unrelated history. */
  parents: readonly string[]
  /** The commit whose tree is the starting point. */
  tree: string
  changes?: ReadonlyMap<string, Entry>
  /** Seconds since 1970. */
  authored: number
  committed: number
}

/**
 * Creates a commit and moves the branch to it, wherever the branch points. Uses one process for any number of
 * changes.
 */
export async function commitByHand(
  repository: string,
  { ref = 'refs/heads/main', parents, tree, changes, authored, committed }: HandMade,
): Promise<string> {
  const lines = [
    `commit ${ref}`,
    'mark :1',
    `author Ada <ada@example.com> ${authored} +0000`,
    `committer Eve <eve@example.com> ${committed} +0000`,
    'data 7',
    'By hand',
  ]
  parents.forEach((parent, index) => void lines.push(`${index === 0 ? 'from' : 'merge'} ${parent}`))
  lines.push('deleteall', `M 040000 ${await git(repository, ['rev-parse', `${tree}^{tree}`])} ""`)
  for (const [path, entry] of changes ?? []) {
    if (entry === null) lines.push(`D ${path}`)
    else lines.push(`M ${entry.mode ?? '100644'} inline ${path}`, `data ${Buffer.byteLength(entry.text)}`, entry.text)
  }
  return git(repository, ['fast-import', '--quiet', '--force'], `${lines.join('\n')}\nget-mark :1\n`)
}

const page = (title: string, more = '') => `# ${title}\n\n${more}`
const summary = (...lines: string[]): string => `# Contents\n\n${lines.join('\n')}\n`
const START = '* [Start](README.md)'
const A = '* [A](a/README.md)'
const ONE = '[One](a/one.md)'
const TWO = '[Two](a/two.md)'
export const SPEC = (title: string) =>
  `openapi: 3.1.0\ninfo: {title: ${title}, version: "1"}\npaths: {/x: {get: {responses: {"200": {description: ${title}}}}}}\n`
const LFS =
  'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n'

/**
 * The contents that a path may have. There are few of them, so that the same bytes return at another path. Symbolic
 * links are also tried as files with their bytes.
 */
const POOL: Readonly<Record<string, readonly (string | null)[]>> = {
  'README.md': [
    page(
      'Start',
      'See [one](a/one.md#x), [gone](gone.md), ![x](.gitbook/assets/x.png).\n\n{% include ".gitbook/includes/inc.md" %}\n',
    ),
    page(
      'Start',
      '{% content-ref url="a/two.md" %}\n[two.md](a/two.md)\n{% endcontent-ref %}\n\n{% file src=".gitbook/assets/x.png" %}\n',
    ),
    page(
      'Start',
      '{{ space.vars.x }} {{ page.vars.v }} {% openapi-operation spec="pets" path="/x" method="get" %}{% endopenapi-operation %}\n',
    ),
    'a/one.md',
    null,
  ],
  'a/README.md': [
    '---\ndescription: d\nicon: book\ntags: [one, two]\nvars:\n  v: 1\n---\n\n# A\n',
    '---\ndescription: other\nhidden: true\nnoIndex: true\ntags: [two]\nvars:\n  v: 2\n---\n\n# A\n',
    '---\ncover: ../pics/y.png\ncoverY: 3\nlayout:\n  width: wide\n  title:\n    visible: false\n---\n\n# A\n',
    '---\nif: visitor.claims.beta\n---\n\n# A\n',
    '---\ntitle: x: y\n---\n\n# A\n',
    page('A'),
    'one.md',
    null,
  ],
  'a/one.md': [
    page('One'),
    page('Uno', '[start](../README.md) <a id="x"></a>\n'),
    page('Two'),
    '---\ndescription: d\n---\n# One\n',
    'two.md',
    '../README.md',
    LFS,
    null,
  ],
  'a/two.md': [
    page('Two'),
    page('One'),
    page('Zwei', '{% openapi src="../api.yaml" path="/x" method="get" %}\n[api](../api.yaml)\n{% endopenapi %}\n'),
    'one.md',
    null,
  ],
  'a/uno.md': [page('One'), page('Uno', '[start](../README.md) <a id="x"></a>\n'), null, null],
  'g/one.md': [
    page('Group one', '[other](../a/one.md)\n'),
    page('Group uno', '![y](../pics/y.png)\n'),
    '---\nicon: star\n---\n# Group one\n',
    null,
  ],
  'g/deep/x.md': [page('X'), page('Y'), null],
  'a/index.md': [page('Index'), null, null],
  'a.md': [page('Plain a'), null, null],
  'SUMMARY.md': [
    summary(START, A, `  * ${ONE}`, `  * ${TWO}`, '', '## Group', '', '* [G](g/one.md)', '  * [X](g/deep/x.md)'),
    summary(START, A, `  * ${TWO}`, `  * ${ONE}`, '', '## Group', '', '* [G](g/one.md)', '  * [X](g/deep/x.md)'),
    summary(
      START,
      '* [Another title](a/README.md)',
      `  * ${ONE}`,
      '    * [Two](a/two.md)',
      '',
      '## Group <a href="#g" id="g"></a>',
      '',
      '* [G](g/one.md)',
    ),
    summary(
      START,
      `* ${ONE}`,
      '* [G](g/one.md)',
      '  * [X](g/deep/x.md)',
      A,
      '* [Web](https://example.org/a)',
      '* [Anchor](a/one.md#x)',
      '* [Draft]()',
    ),
    summary(
      START,
      '* [G](g/one.md)',
      `* ${ONE}`,
      '* [Uno](a/uno.md)',
      `  * ${TWO}`,
      '* [A](a.md)',
      A,
      '* [Web](https://example.org/b)',
    ),
    summary(START, A, '  * [One](a/uno.md)', `  * ${TWO}`, '* [Gone](gone.md)', '* [I](a/index.md)'),
    summary(
      START,
      A,
      '  * ```yaml',
      '    type: builtin:openapi',
      '    props:',
      '      models: true',
      '    dependencies:',
      '      spec:',
      '        ref:',
      '          kind: openapi',
      '          spec: pets',
      '    ```',
    ),
    'README.md',
    null,
  ],
  '.gitbook.yaml': [
    '',
    'root: ./a/\n',
    'structure:\n  readme: g/one.md\n',
    'redirects:\n  old: a/one.md\n',
    'redirects:\n  old: g/one.md\n',
    'root: [',
    null,
    null,
    null,
  ],
  '.gitbook/vars.yaml': ['x: 1\n', 'x: 2\n', null],
  '.gitbook/tags.yaml': [
    'one:\n  label: The One\n',
    'one:\n  label: Number one\ntwo:\n  label: Second\n',
    '- tag: one\n  label: Listed\n',
    'vars.yaml',
    null,
  ],
  '.gitbook/includes/inc.md': [
    '---\ntitle: inc\n---\nIncluded [start](../../README.md)\n',
    '---\ntitle: renamed\n---\nOther\n',
    null,
  ],
  '.gitbook/assets/x.png': ['png', 'another png', LFS, null],
  'pics/y.png': ['y', null],
  'api.yaml': [SPEC('Pets'), SPEC('Dogs'), null],
  'unrelated.txt': ['1', '2', null],
}

export const CONTENT_FILES = Object.keys(POOL)

/** The initial files. */
export const FIRST = new Map<string, Entry>(
  CONTENT_FILES.filter(
    (path) => POOL[path]?.includes(null) !== true || !/uno|a\.md|index|gitbook\.yaml/.test(path),
  ).map((path) => [path, { text: POOL[path]?.[0] as string }]),
)

/** Returns random content for a path. */
export function anyEntry(next: Random, path: string): Entry {
  const text = pick(next, POOL[path] as readonly (string | null)[])
  if (text === null) return null
  const isTarget = !text.includes('\n') && text.includes('.')
  return { text, mode: isTarget && next(3) > 0 ? '120000' : next(8) === 0 ? '100755' : '100644' }
}
