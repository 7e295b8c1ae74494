// @costly: it fills a service with many resources of every kind, and reads each of them at two sizes
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { Endpoint } from '../../src/api/declaration.js'
import { endpoints } from '../../src/api/index.js'
import { ObjectDatabase } from '../../src/git/objects/database.js'
import { EmbeddedStore } from '../../src/store/store.js'
import { git } from '../support/hermetic-git.js'
import { urlOf } from '../support/probe.js'
import { startService, type TestService } from '../support/service.js'
import { isSoak } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { sampleEnv, samples } from './samples/index.js'

const test = suite('growth')

/** The sizes of everything in a service: members, spaces, pages, commits, comments … A soak plays larger ones. */
const SIZES = isSoak ? [100, 1_000] : [60, 180]
const [SMALL, LARGE] = SIZES as [number, number]
/** Work that may be added to the larger size without being growth: each list has a different rest. */
const SLACK = 60

/** The reads of one request. */
interface Work {
  documents: number
  objects: number
  bytes: number
}

/**
 * The operations whose work may grow with the size, with the reason. All others read as much from a large service as
 * from a small one.
 */
const LINEAR: readonly { operations: RegExp; reason: string }[] = [
  {
    operations: /^(getMemberIn|listMembersIn|listMemberTokens|listSpacesForMember|getTeamIn|listTeamsIn)/,
    reason: 'the roles of a member or team on all spaces, collections and sites of the organization',
  },
  { operations: /^listPermissionsAggregate/, reason: 'all members and teams of the organization' },
  {
    operations: /^list(Spaces|Collections|Sites)InOrganization/,
    reason: 'the count of what the caller sees, by the role on each',
  },
  { operations: /^(getCurrentRevision|listPages)$/, reason: 'the table of contents, with every page' },
  { operations: /Links|Backlinks/, reason: 'the spaces and sites to which a link may lead' },
  { operations: /^getContributors/, reason: 'the commits that changed the page or its folder' },
  { operations: /^listCommenters/, reason: 'the authors of all comments' },
  { operations: /^listConnectionBranches$/, reason: 'every branch of the remote repository' },
  { operations: /SiteHealth/, reason: 'the pages of the site, with their links, reads and ratings' },
  { operations: /^getUsageOfOrganization$/, reason: 'the files and bytes of each space' },
  { operations: /^search/, reason: 'the spaces, and the pages of the site, that the caller can see' },
]
const isLinear = (id: string): boolean => LINEAR.some(({ operations }) => operations.test(id))

let counted: Work = { documents: 0, objects: 0, bytes: 0 }

/** Counts what the methods of a class read. Returns the function that ends it. */
function counting(of: object, methods: Record<string, (result: never) => void>): () => void {
  const undo = Object.entries(methods).map(([name, count]) => {
    const own = Reflect.get(of, name) as (...args: unknown[]) => unknown
    Reflect.set(of, name, async function (this: unknown, ...args: unknown[]) {
      const result = await own.apply(this, args)
      count(result as never)
      return result
    })
    return () => Reflect.set(of, name, own)
  })
  return () => undo.forEach((one) => void one())
}

function countReads(): () => void {
  const documents = (found: { length: number }): void => void (counted.documents += 1 + found.length)
  const one = (): void => void counted.documents++
  const object = (): void => void counted.objects++
  const ends = [
    counting(EmbeddedStore.prototype, {
      get: one,
      count: one,
      find: documents,
      all: documents,
      page: (range: { documents: { length: number } }) => documents(range.documents),
      read: (range: { records?: { length: number } }) => documents(range.records ?? []),
    }),
    counting(ObjectDatabase.prototype, { blob: object, tree: object, commit: object, info: object }),
  ]
  return () => ends.forEach((end) => void end())
}

/** Adds pages and commits to main as plain Git does. */
async function addHistory(here: TestService, space: string, from: number, to: number): Promise<void> {
  const repository = join(here.dir, 'repos', `${space}.git`)
  const summary = await git(repository, ['show', 'main:SUMMARY.md'])
  const links = Array.from({ length: to - from }, (_, n) => `* [Page ${from + n}](grown/page-${from + n}.md)\n`)
  const file = (path: string, text: string): string =>
    `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`
  const commits = links.map(
    (_, n) =>
      `commit refs/heads/main\ncommitter Ada <ada@example.org> ${1_700_000_000 + from + n} +0000\ndata 4\nGrow\n${
        n === 0 ? 'from refs/heads/main^0\n' : ''
      }${file(`grown/page-${from + n}.md`, `# Page ${from + n}\n\nText ${n}, see [the first](page-0.md).\n`)}${
        n === links.length - 1 ? file('SUMMARY.md', `${summary}\n${links.join('')}`) : ''
      }\n`,
  )
  await git(repository, ['fast-import', '--quiet'], commits.join(''))
}

/** Adds one of each resource that a service may have many of. */
async function addOne(here: TestService, parameters: Readonly<Record<string, string>>, n: number): Promise<void> {
  const org = `/v1/orgs/${parameters.organizationId}`
  const space = `/v1/spaces/${parameters.spaceId}`
  const discussion = { body: { markdown: `Comment ${n}` } }
  const add = async (path: string, body: object): Promise<void> => {
    const { status, text } = await here.admin.call('post', path, body)
    assert.ok(status < 300, `${path}: ${status} ${text}`)
  }
  await here.caller('read')
  await add(`${org}/spaces`, { title: `Space ${n}` })
  await here.admin.call('put', `${org}/teams`, { title: `Team ${n}` })
  await add(`${org}/collections`, { title: `Collection ${n}` })
  await add(`${org}/sites`, { title: `Site ${n}`, type: 'basic', visibility: 'public' })
  await add(`${space}/change-requests`, { subject: `Change ${n}` })
  await add(`${space}/comments`, discussion)
  await add(`${space}/change-requests/${parameters.changeRequestId}/comments`, discussion)
}

/** Reads what a service reads once after its start: the links between all spaces, and all texts for searches. */
async function warmUp(here: TestService, { spaceId, pageId }: Readonly<Record<string, string>>): Promise<void> {
  await here.admin.call('get', `/v1/spaces/${spaceId}/content/page/${pageId}/backlinks`).expect(200)
  // A search continues after its response.
  let before: number
  let isPartial: boolean
  do {
    before = counted.objects
    const { body } = await here.admin.call('get', `/v1/orgs/${here.organization}/search?query=grow`).expect(200)
    isPartial = body.partial === true
    await new Promise((done) => setTimeout(done, 500))
  } while (isPartial || counted.objects > before)
}

/** Reads every resource once from a service that has just started and warmed up. Returns the work by operation. */
async function workOfReads(here: TestService, set: Awaited<ReturnType<typeof samples>>): Promise<Map<string, Work>> {
  await here.restart()
  const works = new Map<string, Work>()
  await warmUp(here, set.parameters)
  for (const [id, endpoint] of Object.entries<Endpoint>(endpoints)) {
    const sample = set.special[id]
    if (endpoint.method !== 'GET' || sample === null || endpoint.path.endsWith('pdf')) continue
    const url = urlOf(endpoint, { parameters: set.parameters, ...sample })
    counted = { documents: 0, objects: 0, bytes: 0 }
    const response = await fetch(here.url + url, {
      redirect: 'manual',
      headers: { authorization: `Bearer ${here.admin.token}` },
    })
    counted.bytes = (await response.arrayBuffer()).byteLength
    assert.ok(response.status < 500, `${id}: ${response.status}`)
    works.set(id, counted)
  }
  return works
}

test(
  'no read of a large service reads more than declared',
  async () => {
    const here = await startService({ env: sampleEnv })
    const end = countReads()
    try {
      const set = await samples(here)
      const space = set.parameters.spaceId as string
      const works: Map<string, Work>[] = []
      let size = 0
      for (const next of SIZES) {
        await addHistory(here, space, size, next)
        for (; size < next; size++) await addOne(here, set.parameters, size)
        works.push(await workOfReads(here, set))
      }
      const [small, large] = works as [Map<string, Work>, Map<string, Work>]
      const found: string[] = []
      for (const [id, before] of small)
        for (const what of ['documents', 'objects', 'bytes'] as const) {
          const [few, many] = [before[what], large.get(id)?.[what] ?? 0]
          const slack = what === 'bytes' ? SLACK * 100 : SLACK
          const most = isLinear(id) ? Math.max(few, SMALL) * (LARGE / SMALL) * 1.2 + slack : few + slack
          if (many > most) found.push(`${id}: ${what} ${few} → ${many}`)
        }
      assert.equal(found, [])
    } finally {
      end()
      await here.close()
    }
  },
  { timeoutMs: 3_000_000, embeddedOnly: 'data-folder' },
)

test.run()
