import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startPostgres } from '../../test/support/postgres.js'
import { interleaved, type Line, median, ms, ratiosOf, timed } from './measure.js'
import { addCommentsOf } from './lists-data.js'
import { generateRepository } from './generated.js'
import { ADMIN_TOKEN, call, importInto, newSpace, pageIds, type Server, startService } from './processes.js'
import { documentTables } from '../../src/model/index.js'
import { migrations } from '../../src/domain/upkeep/migrations.js'
import { openDatabase } from '../../src/postgres/index.js'
import { openPostgresStore, openStore, type Store } from '../../src/store/index.js'

const READ = 'page read, on a node / embedded'
const ONE = 'processor time of an edit, node and database, on one space / embedded'
const MANY = 'processor time of an edit, node and database, on 50 spaces / embedded'
const OPENING = 'first opening of 1,000 pages on an empty node / git clone'
const LIST = 'a page of 50,000 comments, on a node / embedded'
/** The lines of this file. */
export const nodeLines = [READ, ONE, MANY, OPENING, LIST]

const SPACES = 50
const EDITS = 100
const ROUNDS = 40
const READS_AT_ONCE = 16
const COSTED_ROUNDS = 200
const PAGES = 1000
const COMMENTS = 50_000
const TICKS_PER_SECOND = 100

/** Returns the processor time of a database in milliseconds, including connections that have ended. */
function processorOf(pid: number): number {
  const below = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .split(/\s+/)
    .filter(Boolean)
  let ticks = 0
  for (const one of [String(pid), ...below]) {
    try {
      const fields = readFileSync(`/proc/${one}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      // Fields utime and stime. The main process also counts its ended children.
      for (const at of one === String(pid) ? [11, 12, 13, 14] : [11, 12]) ticks += Number(fields[at])
    } catch {
      // It has just ended, and the main process counts it.
    }
  }
  return (ticks / TICKS_PER_SECOND) * 1000
}

/** Returns the processor time that a server and its database have used so far, in milliseconds. */
const usedBy = async (server: Server, database: number | null): Promise<number> =>
  (await server.cpu()) / 1000 + (database === null ? 0 : processorOf(database))

/**
 * Compares the costs of a node with those of a standalone server. If PostgreSQL is missing, prints a line that the
 * comparison is skipped.
 */
export async function nodes(dir: string, wanted: (name: string) => boolean): Promise<Line[]> {
  const postgres = await startPostgres().catch((error: Error) => {
    console.log(`   nodes: skipped. ${error.message}`)
    return null
  })
  if (!postgres) return []
  const url = await postgres.database()
  const env = { BINDERY_DATABASE_URL: url, BINDERY_SIGNING_KEY: 'ab'.repeat(32) }
  let [node, alone] = [await startService(join(dir, 'node'), env), await startService(join(dir, 'alone'))]
  try {
    const lines: Line[] = []
    if (wanted(READ)) lines.push(await pageReads({ node, alone, database: postgres.pid() }))
    if (wanted(ONE)) lines.push(await edits(ONE, { node, alone, database: postgres.pid() }, 1))
    if (wanted(MANY)) lines.push(await edits(MANY, { node, alone, database: postgres.pid() }, SPACES))
    if (wanted(OPENING)) lines.push(await opening(dir, node, env))
    if (wanted(LIST)) {
      const space = { node: await newSpace(node), alone: await newSpace(alone) }
      await Promise.all([node.stop(), alone.stop()])
      const database = openDatabase({ url })
      const store = await openPostgresStore({ database, tables: documentTables, migrations })
      await addCommentsOf(store, space.node, COMMENTS)
      // A node does this within a minute.
      await store.upkeep()
      await store.close()
      await database.close()
      await fill(
        await openStore({ dir: join(dir, 'alone', 'data', 'store'), tables: documentTables, migrations }),
        space.alone,
      )
      ;[node, alone] = [await startService(join(dir, 'node'), env), await startService(join(dir, 'alone'))]
      lines.push(await list({ node, alone }, space))
    }
    return lines
  } finally {
    await node.stop()
    await alone.stop()
    await postgres.close()
  }
}

async function pageReads({ node, alone, database }: Both): Promise<Line> {
  const ask = async (server: Server) => {
    const { space, page } = await editable(server)
    const path = `/v1/spaces/${space}/content/page/${page}`
    return () =>
      timed(
        async () => void (await Promise.all(Array.from({ length: READS_AT_ONCE }, () => call(server, 'GET', path)))),
      )
  }
  const sides = { node: await ask(node), alone: await ask(alone) }
  await interleaved(ROUNDS, sides)
  const found = await interleaved(ROUNDS, sides)
  /** Returns the processor time of a read in microseconds. */
  const cost = async (read: () => Promise<unknown>, used: () => Promise<number>): Promise<string> => {
    const before = await used()
    for (let n = 0; n < COSTED_ROUNDS; n++) await read()
    return `${Math.round((((await used()) - before) * 1000) / (COSTED_ROUNDS * READS_AT_ONCE))} µs`
  }
  const [nodeCost, databaseCost, aloneCost] = [
    await cost(sides.node, () => usedBy(node, null)),
    await cost(sides.node, async () => processorOf(database)),
    await cost(sides.alone, () => usedBy(alone, null)),
  ]
  // The ratio is a rate, so the time without a database is the numerator.
  return {
    name: READ,
    sense: 'least',
    target: 0.5,
    ratios: ratiosOf(found.alone, found.node),
    detail:
      `${READS_AT_ONCE} at a time take ${ms(median(found.node))} on a node, ${ms(median(found.alone))} embedded; ` +
      `processor time of one: ${nodeCost} on the node and ${databaseCost} in the database, ${aloneCost} embedded`,
  }
}

interface Both {
  node: Server
  alone: Server
  /** The process ID of the database's main process. */
  database: number
}

async function edits(name: string, { node, alone, database }: Both, spaces: number): Promise<Line> {
  const cost = async (server: Server, own: number | null): Promise<number> => {
    const targets: Target[] = []
    for (let n = 0; n < spaces; n++) targets.push(await editable(server))
    for (const target of targets) await edit(server, target, -1)
    const before = await usedBy(server, own)
    for (let n = 0; n < EDITS; n++) await edit(server, targets[n % spaces] as Target, n)
    return ((await usedBy(server, own)) - before) / EDITS
  }
  const theirs = await cost(node, database)
  const mine = await cost(alone, null)
  return {
    name,
    sense: 'none',
    target: 0,
    ratios: [theirs / mine],
    detail: `${ms(theirs)} to ${ms(mine)} for each of ${EDITS} edits`,
  }
}

/** A page that can be edited. */
interface Target {
  space: string
  page: string
}

async function editable(server: Server): Promise<Target> {
  const space = await newSpace(server)
  await call(server, 'POST', `/v1/spaces/${space}/content`, {
    changes: [{ operation: 'insert_page', title: 'First', document: { markdown: '# First\n\nText.\n' } }],
  })
  return { space, page: (await pageIds(server, space))[0] as string }
}

const edit = (server: Server, { space, page }: Target, n: number) =>
  call(server, 'POST', `/v1/spaces/${space}/content`, {
    changes: [{ operation: 'update_page', page, document: { markdown: `# Edit\n\n${n}\n` } }],
  })

/** Opens a space on an empty node, and clones it from the node that has it. */
async function opening(dir: string, node: Server, env: Record<string, string>): Promise<Line> {
  const origin = join(dir, 'opening.git')
  await generateRepository(origin, PAGES, 10)
  const space = await newSpace(node)
  await importInto(node, space, `file://${origin}`)
  const [opened, read, cloned]: number[][] = [[], [], []]
  for (let round = 0; round < 5; round++) {
    const home = join(dir, `empty-${round}`)
    const empty = await startService(home, env)
    opened?.push(await timed(() => refsOf(empty, space)))
    read?.push(await timed(() => call(empty, 'GET', `/v1/spaces/${space}/content`)))
    await empty.stop()
    const target = join(dir, `clone-${round}`)
    cloned?.push(
      await timed(
        async () =>
          void execFileSync('git', [
            'clone',
            '--quiet',
            '--bare',
            '--no-local',
            join(dir, 'node', 'repos', `${space}.git`),
            target,
          ]),
      ),
    )
    for (const path of [home, target]) await rm(path, { recursive: true, force: true })
  }
  return {
    name: OPENING,
    sense: 'none',
    target: 0,
    ratios: ratiosOf(opened ?? [], cloned ?? []),
    detail: `${ms(median(opened ?? []))} to ${ms(median(cloned ?? []))}; facts of all pages and their tree then take ${ms(median(read ?? []))}, as after an import`,
  }
}

/** Reads the refs of a space through the Git door, which waits until the node's copy is complete. */
async function refsOf(node: Server, space: string): Promise<void> {
  const headers = { authorization: `Basic ${Buffer.from(`git:${ADMIN_TOKEN}`).toString('base64')}` }
  const answer = await fetch(`${node.url}/git/${space}.git/info/refs?service=git-upload-pack`, { headers })
  const text = await answer.text()
  if (!answer.ok || !text.includes('refs/heads/main'))
    throw new Error(`the refs of the space: ${answer.status} ${text.slice(0, 200)}`)
}

/**
 * Compares lists of comments. Comments are written into both stores manually while the caller has stopped the servers.
 */
async function list({ node, alone }: Omit<Both, 'database'>, space: { node: string; alone: string }): Promise<Line> {
  const ask = (server: Server, of: string) => () => timed(() => call(server, 'GET', `/v1/spaces/${of}/comments`))
  const sides = { node: ask(node, space.node), alone: ask(alone, space.alone) }
  await interleaved(ROUNDS / 4, sides)
  const found = await interleaved(ROUNDS, sides)
  return {
    name: LIST,
    sense: 'none',
    target: 0,
    ratios: ratiosOf(found.node, found.alone),
    detail: `${ms(median(found.node))} to ${ms(median(found.alone))}`,
  }
}

/** Fills a space with comments, in a store that no server has open. */
async function fill(store: Store, space: string): Promise<void> {
  await addCommentsOf(store, space, COMMENTS)
  await store.close()
}
