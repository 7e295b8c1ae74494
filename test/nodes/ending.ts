/**
 * Checks the end of a story: every node shows the acknowledged writes, all show the same, and plain Git and fsck agree.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { runCommand } from '../support/commands.js'
import { hermeticEnv } from '../support/hermetic-git.js'
import { moduleArguments } from '../support/own-process.js'
import type { Node } from './node.js'
import type { Deed, Reader, World } from './world.js'

/** In ms. The time in which a node must respond once the disturbances are over. */
const CALM_MS = 60_000

function readerOf(world: World, node: Node): Reader {
  const client = world.client(2000)
  const kept = new Map<string, Promise<any>>()
  const fault = (what: string): void => world.cluster.judge.fault(`at the end, ${node.name}: ${what}`)
  const get = async (path: string): Promise<any> => {
    for (const end = performance.now() + CALM_MS; performance.now() < end; await wait(100)) {
      const answer = await client.ask({ method: 'GET', path, expect: [200] }, node)
      if (answer.status === 200) return answer.body
      if (answer.status !== 0 && answer.status !== 503) return undefined
    }
    fault(`${path} was not answered for ${CALM_MS} ms`)
  }
  const once = <T>(key: string, read: () => Promise<T>): Promise<T> => {
    if (!kept.has(key)) kept.set(key, read())
    return kept.get(key) as Promise<T>
  }
  const list = async (path: string): Promise<any[]> => {
    const items: any[] = []
    for (let next = ''; ; ) {
      const body = await get(`${path}${path.includes('?') ? '&' : '?'}limit=1000${next}`)
      items.push(...(body?.items ?? []))
      if (body?.next === undefined) return items
      next = `&page=${body.next.page}`
    }
  }
  /** Change requests are listed by status. */
  const lists = async (path: string): Promise<any[]> =>
    path.endsWith('/change-requests')
      ? (
          await Promise.all(['draft', 'open', 'archived', 'merged'].map((status) => list(`${path}?status=${status}`)))
        ).flat()
      : list(path)
  return {
    node: node.name,
    get,
    fault,
    list: (path) => once(path, () => lists(path)),
    pages: (space) => once(space, async () => flat((await get(`/v1/spaces/${space}/content/pages`))?.pages ?? [])),
  }
}

const flat = (pages: any[]): any[] => pages.flatMap((page) => [page, ...flat(page.pages ?? [])])

/** The complete view that a node has of a space. */
async function shown(reader: Reader, space: string): Promise<Record<string, unknown>> {
  const base = `/v1/spaces/${space}`
  return {
    space: await reader.get(base),
    content: await reader.get(`${base}/content`),
    changeRequests: await reader.list(`${base}/change-requests`),
    comments: await reader.list(`${base}/comments`),
  }
}

export async function judgeEnd(world: World, deeds: readonly Deed[]): Promise<void> {
  const { nodes, judge } = world.cluster
  const readers = nodes.map((node) => readerOf(world, node))
  for (const reader of readers) for (const deed of deeds) await deed.check(reader)
  for (const space of world.spaces) {
    const all = await Promise.all(readers.map((reader) => shown(reader, space)))
    for (const [i, other] of all.slice(1).entries())
      for (const key of Object.keys(other)) {
        const [ours, theirs] = [JSON.stringify(all[0]?.[key]), JSON.stringify(other[key])]
        if (ours !== theirs)
          judge.fault(
            `at the end, ${key} of ${space} is one thing at ${nodes[0]?.name} and another at ${nodes[i + 1]?.name}: ${difference(ours, theirs)}`,
          )
      }
  }
}

function difference(a: string, b: string): string {
  let at = 0
  while (a[at] === b[at]) at++
  return `${a.slice(Math.max(0, at - 80), at + 80)} … ${b.slice(Math.max(0, at - 80), at + 80)}`
}

/** Checks every repository of every node with plain Git. The nodes may run. */
export async function judgeRepositories(world: World): Promise<void> {
  for (const node of world.cluster.nodes)
    for (const name of repositoriesOf(node)) {
      world.cluster.judge.trace(`git fsck of ${name} at ${node.name}`)
      const cwd = join(node.dir, 'repos', name)
      const { code, stdout, stderr } = await runCommand('git', ['fsck', '--strict', '--no-dangling'], {
        cwd,
        env: hermeticEnv,
      })
      const said = `${stdout}${stderr}`.trim()
      if (code !== 0 || said !== '')
        world.cluster.judge.fault(`git fsck of ${name} at ${node.name}: ${code} ${said.slice(0, 1000)}`)
    }
}

export const repositoriesOf = (node: Node): string[] => {
  const dir = join(node.dir, 'repos')
  return existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith('.git')) : []
}

/** Stops the nodes and runs the service's own check with the settings of each. */
export async function judgeServices(world: World): Promise<void> {
  for (const node of world.cluster.nodes) {
    world.cluster.judge.trace(`${node.name} is asked to end`)
    const code = await node.end()
    if (code !== 0)
      world.cluster.judge.fault(`${node.name} ended with ${code} when asked to: ${node.output().slice(-1500)}`)
  }
  for (const node of world.cluster.nodes) {
    world.cluster.judge.trace(`fsck of ${node.name}`)
    const { code, stdout, stderr } = await runCommand(
      process.execPath,
      [...moduleArguments('../../src/main.js', import.meta.url), 'fsck'],
      {
        cwd: node.dir,
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          TMPDIR: process.env.TMPDIR,
          BINDERY_DATA_DIR: join(node.dir, 'data'),
          BINDERY_REPOS_DIR: join(node.dir, 'repos'),
          ...node.env,
        },
      },
    )
    if (code !== 0)
      world.cluster.judge.fault(`bindery fsck of ${node.name}: ${code} ${`${stdout}${stderr}`.slice(-2000)}`)
  }
}
