/** Clients that write on any node while nodes, the database and the network are disturbed at random moments. */
import { loadavg } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { pickWeighted, random } from '../simulation/two-sided/random.js'
import { Comments } from './comments.js'
import { newJudge, NODES, startCluster } from './cluster.js'
import { disturbance } from './disturb.js'
import { Documents } from './documents.js'
import { judgeEnd, judgeRepositories, judgeServices } from './ending.js'
import { Journals } from './journals.js'
import { Prober } from './prober.js'
import { Pushes } from './pushes.js'
import { Requests } from './requests.js'
import { type Client, type Deed, World } from './world.js'

export interface Plan {
  seed: number
  disturbances: number
  clients?: number
  spaces?: number
  nodes?: number
  /** In ms. How long the clients write without disturbances. */
  calm?: number
}

export interface Told {
  faults: string[]
  counts: Record<string, number>
  /**
   * Each disturbance, the time until writes were accepted after its start and after its end, and the machine load of
   * the last minute.
   */
  resumed: { what: string; ms: number; load: number }[]
  /** The number of times that each kind of disturbance was played. */
  kinds: Record<string, number>
  /** Processes that ended without a request. */
  deaths: string[]
  seconds: number
}

export async function tell(plan: Plan): Promise<Told> {
  const judge = newJudge()
  const started = performance.now()
  const cluster = await startCluster({
    judge,
    nodes: plan.nodes ?? NODES,
    env: { BINDERY_RATE_LIMIT_PER_MINUTE: '0', BINDERY_RATE_LIMIT_PER_MINUTE_ADDRESS: '0' },
  })
  const world = new World(cluster, plan.seed)
  try {
    await makeSpaces(world, plan.spaces ?? 3)
    const prober = new Prober(world)
    await prober.prepare()
    const clients = Array.from({ length: plan.clients ?? 8 }, (_, i) => world.client(i))
    const deeds = clients.map((client, i) => deedsOf(client, i))
    const writing = Promise.all(clients.map((client, i) => write(client, deeds[i] as Deed[])))
    const kinds: Told['kinds'] = {}
    const resumed = await disturb(world, prober, plan, kinds)
    if (plan.calm) await wait(plan.calm)
    world.end()
    await writing
    if (!world.failed) await judgeAll(world, deeds.flat())
    const deaths = cluster.nodes.flatMap((node) => node.deaths)
    const seconds = Math.round((performance.now() - started) / 1000)
    return {
      faults: judge.faults,
      counts: Object.fromEntries([...world.counts].sort()),
      resumed,
      kinds,
      deaths,
      seconds,
    }
  } finally {
    world.end()
    // Their output about the latest fault.
    if (judge.faults.length > 0) await wait(500)
    for (const node of cluster.nodes) judge.keep(node.name, node.output())
    await cluster.close()
  }
}

async function judgeAll(world: World, deeds: readonly Deed[]): Promise<void> {
  await Promise.all(world.cluster.nodes.map((node) => node.ready()))
  await judgeEnd(world, deeds)
  await judgeRepositories(world)
  await judgeServices(world)
}

async function makeSpaces(world: World, count: number): Promise<void> {
  const client = world.client(3000)
  for (let i = 0; i < count; i++) {
    const body = { title: `Space ${i}`, editMode: 'live' }
    const answer = await client.insist({
      method: 'POST',
      path: `/v1/orgs/${world.cluster.organization}/spaces`,
      body,
      expect: [201],
    })
    world.spaces.push(answer?.body.id)
  }
}

function deedsOf(client: Client, index: number): Deed[] {
  // Two clients mainly push, always to the busiest space.
  const pushes = index < 2 ? [new Pushes(client, client.world.spaces[0] as string, index === 0 ? 20 : 8)] : []
  return [new Journals(client), new Requests(client), new Comments(client), new Documents(client), ...pushes]
}

async function write(client: Client, deeds: readonly Deed[]): Promise<void> {
  while (!client.world.over) {
    try {
      await pickWeighted(
        client.random,
        deeds.map((deed) => [deed.weight, deed] as const),
      ).act()
    } catch (error) {
      client.fault(`the client failed: ${(error as Error).stack}`)
    }
    // The clients would otherwise use all of the machine.
    await wait(20 + client.random(180))
  }
  client.asker.close()
}

async function disturb(
  world: World,
  prober: Prober,
  { seed, disturbances }: Plan,
  played: Told['kinds'],
): Promise<Told['resumed']> {
  const { cluster } = world
  const next = random(seed)
  const resumed: Told['resumed'] = []
  const measure = async (what: string): Promise<void> => {
    const ms = await prober.resumed()
    resumed.push({ what, ms, load: Math.round((loadavg()[0] as number) * 10) / 10 })
    cluster.judge.trace(`writes are accepted ${ms} ms after: ${what}`)
  }
  await measure('the start')
  for (let step = 1; step <= disturbances && !world.failed; step++) {
    await wait(200 + next(1200))
    const one = disturbance(cluster, next)
    cluster.judge.trace(`step ${step}: ${one.name}, ${Math.round(one.lasts)} ms`)
    for (const kind of one.kinds) played[kind] = (played[kind] ?? 0) + 1
    await one.begin()
    const held = wait(one.lasts)
    if (prober.possible && one.lasts > 0) await measure(`step ${step}, begin of ${one.name}`)
    await held
    await one.end()
    await measure(`step ${step}, end of ${one.name}`)
  }
  return resumed
}
