/** Saves a world between two steps and opens it again, so that a long story can continue from there. */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { type Act, Knowledge, ledger, openLedger, type Value } from './knowledge.js'
import { openWorld, type Project, type World } from './world.js'

/** A `Knowledge` as it is in the file. Sides that share acts, or are one object, do so there too. */
interface SavedKnowledge {
  knows: ReadonlyMap<string, readonly Act[]>
  alsoAt: ReadonlyMap<string, Value[]>
}

interface Saved {
  /** The next step. */
  step: number
  apart: boolean
  count: number
  port: number
  seconds: number
  past: World['past']
  ledger: ReturnType<typeof ledger>
  /** Projects with their knowledge as it is saved, without their objects. */
  projects: unknown[]
}

const isPlain = (value: object): value is Record<string, unknown> => Object.getPrototypeOf(value) === Object.prototype

/** A copy in which `replace` substitutes some objects at any depth. One object stays one object. */
function replaced(value: unknown, replace: (value: object) => unknown, met = new Map<object, unknown>()): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (met.has(value)) return met.get(value)
  const other = replace(value)
  const inside = (one: unknown): unknown => replaced(one, replace, met)
  const copy =
    other !== undefined
      ? other
      : value instanceof Map
        ? new Map([...value].map(([key, one]) => [key, inside(one)]))
        : Array.isArray(value)
          ? value.map(inside)
          : isPlain(value)
            ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inside(one)]))
            : value
  met.set(value, copy)
  return copy
}

/** Saves the world in a folder before a step. The service is stopped during that time. */
export async function saveWorld(world: World, step: number, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  if (world.host.copyTo === null) throw new Error('A world on nodes cannot be saved.')
  await world.host.copyTo(join(folder, 'service'))
  await cp(dirname(world.remote.path), join(folder, 'remotes'), { recursive: true })
  const toSaved = (value: object): unknown =>
    value instanceof Knowledge ? ({ knows: value.registers, alsoAt: value.alsoAt } satisfies SavedKnowledge) : undefined
  const saved: Saved = {
    step,
    apart: world.host.kind === 'apart',
    count: world.count,
    port: Number(new URL(world.remotes.url).port),
    seconds: world.remote.seconds,
    past: world.past,
    ledger: ledger(),
    projects: world.projects.map(({ objects, ...project }) => replaced(project, toSaved)),
  }
  await writeFile(join(folder, 'world'), serialize(saved))
}

/**
 * Opens a copy of a saved world and returns the next step. Its remote has the same port as before, so two copies cannot
 * be open at once.
 */
export async function openSaved(folder: string, without: ReadonlySet<string>): Promise<{ world: World; step: number }> {
  const saved = deserialize(await readFile(join(folder, 'world'))) as Saved
  const dir = async (name: string): Promise<string> => {
    const copy = await mkdtemp(join(tmpdir(), `bindery-${name}-`))
    await cp(join(folder, name), copy, { recursive: true })
    return copy
  }
  const { step, apart, port, seconds } = saved
  const world = await openWorld(apart ? 'apart' : 'here', without, {
    service: await dir('service'),
    remotes: await dir('remotes'),
    port,
    seconds,
  })
  openLedger(saved.ledger)
  const toKnowledge = (value: object): unknown => {
    if (!('knows' in value && 'alsoAt' in value)) return undefined
    const { knows, alsoAt } = value as SavedKnowledge
    const knowledge = new Knowledge(knows)
    for (const [key, values] of alsoAt) knowledge.alsoAt.set(key, values)
    return knowledge
  }
  for (const project of saved.projects.map((one) => replaced(one, toKnowledge) as Omit<Project, 'objects'>))
    world.projects.push({ ...project, objects: world.host.repository(project.space) })
  for (const [ref, heads] of saved.past) world.past.set(ref, heads)
  world.count = saved.count
  return { world, step }
}
