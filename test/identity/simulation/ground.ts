/** The setting of a story: one server, or several nodes. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commitTo, type Desk, deskOf, openDesk } from '../../commits/fixture.js'
import { type Nodes, startNodes } from '../../nodes/nodes.js'
import { Clone, differ, type Place, refreshed, sameRefs } from '../../simulation/copies.js'
import { pick, random } from '../../simulation/two-sided/random.js'
import type { Files } from '../../support/bare-repository.js'
import { git } from '../../support/hermetic-git.js'
import { startService, type TestService } from '../../support/service.js'

export interface Ground {
  /** Creates a space with these files. */
  open(files: Files): Promise<Desk>
  /** Restarts the server or one of the nodes. Returns a description. */
  restart(): Promise<string>
  /**
   * Throws if nodes show different data of the space or of its branches.
   * @param at paths of the API below the space's
   */
  agree(desk: Desk, at: readonly string[]): Promise<void>
  /** Throws if Git finds an error in a copy. */
  check(desk: Desk): Promise<void>
  close(): Promise<void>
}

const FSCK = ['fsck', '--strict', '--no-dangling']

export async function groundHere(): Promise<Ground> {
  const here = await startService()
  return {
    open: (files) => openDesk(here, files),
    restart: async () => {
      await here.restart()
      return 'restart'
    },
    agree: async () => {},
    check: async (desk) => void (await desk.git(...FSCK)),
    close: () => here.close(),
  }
}

/** Each request goes to a random node, and so does each read with plain Git. People commit through the Git door. */
export async function groundOnNodes(count: number, seed: number): Promise<Ground> {
  const nodes = await startNodes(count)
  const clones = await mkdtemp(join(tmpdir(), 'bindery-clones-'))
  const next = random(Math.imul(seed, 0x9e3779b1))
  const any = (): TestService => pick(next, nodes.all) as TestService
  const anyPlace = (): Place => pick(next, placesOf(nodes)) as Place
  const here = anyOf(any)
  return {
    open: async (files) => {
      const { body } = await here.admin
        .call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Desk' })
        .expect(201)
      const clone = new Clone({ dir: join(clones, body.id), space: body.id, token: here.admin.token, node: anyPlace })
      return deskOf(here, body.id, files, {
        repo: () => refreshed(anyPlace(), body.id),
        human: (changes, { message = 'By hand', ref = 'refs/heads/main' } = {}) =>
          clone.push(ref, (repo) => commitTo(repo, changes, { message, ref })),
      })
    },
    restart: async () => {
      const [node, disk] = [any(), next(2) === 0 ? 'kept' : 'empty'] as const
      await nodes.restart(node, disk)
      return `restart of a node with its disk ${disk}`
    },
    agree: async (desk, at) => {
      await sameRefs(placesOf(nodes), desk.space)
      for (const path of at) await sameAnswers(nodes, `${desk.url}${path}/content/pages?metadata=true`)
    },
    check: async ({ space }) => {
      for (const place of placesOf(nodes)) await git(await refreshed(place, space), FSCK)
    },
    close: async () => {
      await nodes.close()
      await rm(clones, { recursive: true, force: true })
    },
  }
}

const placesOf = (nodes: Nodes): Place[] => nodes.all.map(({ dir, url }, at) => ({ name: `node ${at + 1}`, dir, url }))

/** A service that is another node on each request. */
function anyOf(any: () => TestService): TestService {
  const { admin, organization } = any()
  return {
    get service() {
      return any().service
    },
    get url() {
      return any().url
    },
    get dir() {
      return any().dir
    },
    admin: { ...admin, call: (method, path, body) => any().admin.call(method, path, body) },
    organization,
    caller: (role) => any().caller(role),
    restart: () => any().restart(),
    close: () => any().close(),
  }
}

async function sameAnswers(nodes: Nodes, path: string): Promise<void> {
  const shown = await Promise.all(
    nodes.all.map(async ({ admin, url }) =>
      (await admin.call('get', path).expect(200)).text.replaceAll(url, 'http://node'),
    ),
  )
  for (const [at, one] of shown.entries())
    if (one !== shown[0]) throw new Error(differ(placesOf(nodes), at, `GET ${path}`, shown[0] as string, one))
}
