import { createHash } from 'node:crypto'
import { inPlace } from '../../src/content/work/direct.js'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as assert from 'uvu/assert'
import { parseDocument } from '../../src/content/blocks/parse.js'
import { commentTargetsOf } from '../../src/content/blocks/comment-targets.js'
import { makeFacts } from '../../src/content/facts.js'
import { readPage } from '../../src/content/front-matter.js'
import { idOf } from '../../src/content/identity.js'
import { buildGraph } from '../../src/content/links/link-graph.js'
import { Submodules } from '../../src/content/submodules.js'
import { outwardLinks } from '../../src/content/links/outward-links.js'
import type { Outline } from '../../src/content/outline/outline.js'
import { findReferences } from '../../src/content/find-references.js'
import { readStructure } from '../../src/content/structure.js'
import type { ContentCache, KnownPage, PresentedPage } from '../../src/domain/context/content-cache.js'
import { revisionCache } from '../../src/domain/revisions/revision-cache.js'
import { makeCaches } from '../../src/git/objects/caches.js'
import { parseCommit } from '../../src/git/objects/parse-commit.js'
import { parseTree } from '../../src/git/objects/tree-codec.js'
import { putAll } from '../../src/git/history/commit-graph.js'
import { type CachedResponses, openResponseCache } from '../../src/api/pipeline/response-cache.js'
import type { CommitId } from '../../src/kernel/ids.js'
import { atOnce } from '../../src/kernel/slices.js'
import { MemoryBudget } from '../../src/kernel/memory-budget.js'
import { Recording } from '../../src/kernel/recording.js'
import { memoryTree } from '../support/memory-tree.js'
import { suite } from '../support/suite.js'

// @own-process: it measures the heap
const test = suite('size estimates of caches, compared with the heap')
setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

const oid = (n: number | string): CommitId => createHash('sha1').update(String(n)).digest('hex') as CommitId
const id = (n: number): string => oid(n).slice(0, 20)

async function held(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    gc()
    await new Promise((done) => setImmediate(done))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const ATTEMPTS = 4

/** Fills caches, and compares their estimated size with the memory that the process then uses. */
function measured(
  name: string,
  fill: (content: ContentCache, git: ReturnType<typeof makeCaches>, kept: CachedResponses) => Promise<void> | void,
): void {
  test(name, async () => {
    // Data that is created once, by the first code that runs, is not counted.
    await fill(...caches(new MemoryBudget(1e12)))
    // Other garbage collections or compilations disturb one measurement, not all of them.
    for (let attempt = 1; ; attempt++) {
      const budget = new MemoryBudget(1e12)
      const into = caches(budget)
      const before = await held()
      await fill(...into)
      const grown = (await held()) - before
      const ratio = budget.used / grown
      if (process.env.SHOW_ESTIMATES) console.log(name, ratio.toFixed(2), grown)
      if (grown > 300_000 && ratio > 1 / 2 && ratio < 2) return
      assert.ok(
        attempt < ATTEMPTS,
        `${name}: ${budget.used} bytes are charged, the heap grew by ${grown}: ${ratio.toFixed(2)}`,
      )
    }
  })
}
const caches = (budget: MemoryBudget): [ContentCache, ReturnType<typeof makeCaches>, CachedResponses] => [
  revisionCache(budget),
  makeCaches(budget),
  openResponseCache(budget),
]

const paths = (n: number, of = ''): string[] =>
  Array.from({ length: n }, (_, i) => `guides${of}/section-${i % 20}/how-to-do-thing-number-${i}.md`)

measured('the estimate for structures matches the heap', async (content) => {
  for (let revision = 0; revision < 2; revision++) {
    const files = paths(1500, String(revision))
    const summary = `# Table of contents\n\n${files.map((path, i) => `* [How to do the thing of number ${i}](${path})`).join('\n')}\n`
    const tree = memoryTree({
      'README.md': '# Docs\n',
      'SUMMARY.md': summary,
      ...Object.fromEntries(files.map((path) => [path, 'x'])),
    })
    content.structures.set(`space:${oid(revision)}`, await readStructure(tree, idOf(new Map()), inPlace))
  }
})

measured('the estimate for overrides matches the heap', (content) => {
  for (let revision = 0; revision < 10; revision++)
    content.overrides.set(
      `space:${oid(revision)}`,
      new Map(paths(1000, String(revision)).map((path, i) => [`page ${path}`, id(revision * 1000 + i)])),
    )
})

const pageText = (n: number): string =>
  `---\ndescription: Page ${n}\ntags: [a, b]\n---\n\n# Page ${n}\n\n${Array.from({ length: 30 }, (_, i) => `Paragraph ${i} of page ${n}, with [a link to another page](../other/page-${i * n}.md) and some more words.`).join('\n\n')}\n`

measured('the estimate for texts of pages matches the heap', (content) => {
  for (let n = 0; n < 400; n++) content.texts.set(oid(n), Buffer.from(pageText(n)).toString())
})

/** Creates the JSON of each number once: the caches are filled several times, each time with new objects. */
function fromJson<T>(make: (n: number) => T): (n: number) => T {
  const made = new Map<number, string>()
  return (n) => {
    const json = made.get(n) ?? JSON.stringify(make(n))
    made.set(n, json)
    return JSON.parse(json) as T
  }
}

const knownPage = fromJson((n): KnownPage => makeFacts(Buffer.from(pageText(n))).page)
measured('the estimate for known pages matches the heap', (content) => {
  for (let n = 0; n < 600; n++) content.pages.set(oid(n), knownPage(n))
})

measured('the estimate for references matches the heap', (content) => {
  for (let n = 0; n < 100; n++)
    content.references.set(oid(n), findReferences(readPage(Buffer.from(pageText(n)).toString(), 'page.md').markdown))
})

const outline = fromJson((n): Outline => {
  const page = `# Page ${n}\n\n${Array.from({ length: 30 }, (_, i) => `## Part ${i} of page ${n}\n\nText <i id="x-${n}-${i}">x</i>.\n`).join('\n')}`
  return makeFacts(Buffer.from(page)).outline
})
measured('the estimate for outlines matches the heap', (content) => {
  for (let n = 0; n < 300; n++) content.outlines.set(oid(n), outline(n))
})

measured('the estimate for links and linked addresses matches the heap', async (content) => {
  for (let revision = 0; revision < 2; revision++) {
    const files = paths(300, String(revision))
    const tree = memoryTree(Object.fromEntries(files.map((path) => [path, 'x'])))
    const structure = await readStructure(tree, idOf(new Map()), inPlace)
    const text = (n: number): string =>
      files
        .slice(n % 200, (n % 200) + 20)
        .map((path) => `[x](/${path}) [y](https://example.org/${n}/${path})`)
        .join('\n\n')
    const known = new Map(files.map((path, n) => [path, { references: findReferences(text(n)), attributes: {} }]))
    const { links, bySource, byTarget, byOrigin } = atOnce(
      buildGraph(
        {
          structure,
          reusable: new Map(),
          submodules: new Submodules([]),
          folded: new Map(),
          exists: (path) => known.has(path),
        },
        known,
      ),
    )
    content.links.set(`space:${oid(revision)}`, { links, bySource, byTarget, byOrigin })
    content.addresses.set(`space:${oid(revision)}`, atOnce(outwardLinks(structure, known)))
  }
})

measured('the estimate for positions of comments matches the heap', (content) => {
  for (let n = 0; n < 60; n++)
    content.places.set(
      oid(n),
      commentTargetsOf(parseDocument(readPage(Buffer.from(pageText(n)).toString(), 'page.md').markdown)),
    )
})

measured('the estimate for presented page trees matches the heap', (content) => {
  for (let space = 0; space < 20; space++) {
    const pages = Array.from({ length: 100 }, (_, n): [string, PresentedPage] => {
      const json = JSON.stringify({
        id: id(n),
        title: `Page ${n}`,
        path: `part/page-${n}`,
        urls: { app: `http://localhost:3000/${oid(n)}` },
        tags: [],
        git: oid(n),
      })
      return [
        id(n),
        {
          before: json.slice(0, 60),
          after: json.slice(100),
          costly: [],
          dates: { created: n, updated: n, commit: oid(n) },
        },
      ]
    })
    content.trees.set(`${id(space)}:true`, { structure: space, stamp: oid(space), pages: new Map(pages) })
  }
})

measured('the estimate for dates matches the heap, including later commits', (content) => {
  let base: Parameters<typeof content.dates.set>[1] | null = null
  for (let n = 0; n < 30; n++) {
    const own = new Map(
      paths(n === 0 ? 5000 : 20, String(n)).map((path) => [
        path,
        { created: 1_700_000_000 + n, updated: 1_700_000_000 + 2 * n, commit: oid(n) },
      ]),
    )
    base = { own, base, depth: n, sinceStored: 0 }
    content.dates.set(`space:${oid(n)}`, base)
  }
})

measured('the estimate for histories, lists and writers matches the heap', (content) => {
  for (let n = 0; n < 300; n++) {
    const key = `space:${oid(n)}`
    content.pageHistories.set(
      `${key}:${id(n)}`,
      paths(20, String(n)).map((path, i) => ({ id: oid(n * 20 + i), path })),
    )
    content.listed.set(key, new Set(Array.from({ length: 20 }, (_, i) => id(n * 20 + i))))
    content.files.set(key, paths(20, `f${n}`))
    content.writers.set(`${key}:page.md`, [
      { name: `Person ${n}`, email: `person-${n}@example.org`, seconds: n, offset: 0 },
    ])
    content.deletions.set(key, new Map([[id(n), [{ commit: oid(n), parent: oid(n + 1), path: `deleted/${n}.md` }]]]))
    content.ownHistories.set(key, true)
    content.dimensions.set(oid(n), { width: n, height: n })
    content.pointers.set(oid(n), { oid: `${oid(n)}${oid(n)}`.slice(0, 64), size: n })
  }
})

measured('the estimate for trees matches the heap', (_, git) => {
  for (let n = 0; n < 50; n++) {
    const rows = Array.from({ length: 100 }, (_value, i) =>
      Buffer.concat([Buffer.from(`100644 how-to-do-${n}-${i}.md\0`), Buffer.from(oid(n * 100 + i), 'hex')]),
    )
    git.trees.set(`1:${oid(n)}`, parseTree(Buffer.concat(rows)))
  }
})

measured('the estimate for commits and sizes matches the heap', (_, git) => {
  for (let n = 0; n < 1000; n++) {
    const text = `tree ${oid(n)}\nparent ${oid(n + 1)}\nauthor A B <a@example.org> 1700000000 +0000\ncommitter Bindery <b@localhost> 1700000000 +0000\npage-ids ${oid(`h${n}`)}\n\nMessage of commit ${n}\n\nChange-Request: ${n}\n`
    git.commits.set(`1:${oid(n)}`, parseCommit(oid(n), Buffer.from(text)))
    git.sizes.set(`1:${oid(n)}`, n)
  }
})

measured('the estimate for blobs matches the heap', (_, git) => {
  for (let n = 0; n < 500; n++) git.blobs.set(`1:${oid(n)}`, Buffer.from(pageText(n)))
})

measured('the estimate for ancestry matches the heap', (_, git) => {
  for (let repository = 0; repository < 3; repository++) {
    const text = Array.from(
      { length: 3000 },
      (_value, n) => `${oid(`${repository} ${n}`)}${n === 0 ? '' : ` ${oid(`${repository} ${n - 1}`)}`}`,
    ).join('\n')
    const found = new Map(
      text.split('\n').map((line) => [line.slice(0, 40), line.slice(41).split(' ').filter(Boolean)]),
    )
    const known = new Map()
    putAll(known, found)
    git.graphs.set(`${repository}:`, known)
  }
})

measured('the estimate for packed refs matches the heap', (_, git) => {
  const refs = Array.from({ length: 4000 }, (_value, n) => [`refs/heads/change-requests/${n}`, oid(n)] as const)
  git.packedRefs.set('/repos/space.git', {
    stamp: '1 2 3',
    refs: new Map(refs),
    folders: new Set(['refs', 'refs/heads', 'refs/heads/change-requests']),
  })
})

measured('the estimate for cached responses matches the heap', (_content, _git, cache) => {
  for (let n = 0; n < 2000; n++) {
    const recording = new Recording()
    for (let fact = 0; fact < 7; fact++) {
      const value = { number: n * fact }
      recording.recordValue(`memberships ${id(n)}:${id(fact)}`, value.number, () => value.number)
    }
    recording.seal()
    const evidence = recording.finish()
    assert.ok(evidence)
    const headers = Array.from({ length: 26 }, (_, index) =>
      index % 2 === 0 ? `Header-${index}` : `the value ${n} of ${index}`,
    )
    const tagAt = (commit: string) => `${commit} ${n}`
    const renewable = {
      commit: oid(n),
      before: `"urls":{"app":"http://localhost:3000/v1/spaces/${id(n)}/revisions/`,
      times: 1,
      mayChange: [id(n)],
      tagAt,
      isSameAt: async (_: unknown, commit: string) => commit === oid(n),
    }
    cache.set(oid(n), {
      status: 200,
      headers,
      body: Buffer.alloc(1500, n),
      reads: evidence,
      isShared: false,
      tag: oid(n),
      renewable,
      operation: 'getPageById',
      path: `/v1/spaces/${id(n)}`,
      caller: id(n),
    })
  }
})

test.run()
