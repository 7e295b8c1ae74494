/**
 * Runs the commands of operators, and writes those that change something to the audit log of the organizations that they
 * concern.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { App } from '../../domain/context/app.js'
import { type OperatorEntry, recordCommand } from '../../domain/events/audit.js'
import { findAllByAddress } from '../../domain/people/operator.js'
import { ServiceError } from '../../kernel/errors.js'
import { ownMember } from '../../kernel/guards.js'
import { newId } from '../../kernel/ids.js'
import { memberships, organizations, spaces, tokens } from '../../model/index.js'
import type { AnyOperatorCommand, Concerned, Operation, Outcome, Values } from './declaration.js'

/** A command that changes nothing. */
export const NONE: Concerned = { organizations: [], resources: {} }

/** The ID in the outcome of a command that creates something; null before it has run. */
const idIn = (outcome: Outcome | undefined): string | null => {
  const id = ownMember(outcome?.json, 'id')
  return typeof id === 'string' ? id : null
}

/** The organization that a command has created. */
export async function ofCreated(outcome: Outcome | undefined): Promise<Concerned> {
  const id = idIn(outcome)
  return id === null ? NONE : { organizations: [id], resources: { organization: id }, created: `/v1/orgs/${id}` }
}

/** A user in an organization. */
export const ofMember = (organization: string, { resources }: Concerned): Concerned => ({
  organizations: [organization],
  resources: { organization, ...resources },
})

/** The organization of a space that a command creates. */
export async function ofNewSpace(app: App, organization: string, outcome: Outcome | undefined): Promise<Concerned> {
  const id = idIn(outcome)
  if ((await app.store.get(organizations, organization)) === null) return NONE
  const created = id === null ? {} : { created: `/v1/spaces/${id}` }
  return { organizations: [organization], resources: { organization }, ...created }
}

/** The organization of a space. */
export async function ofSpace(app: App, id: string): Promise<Concerned> {
  const space = await app.store.get(spaces, id)
  return space === null ? NONE : { organizations: [space.organization], resources: { space: id } }
}

/** The organizations of the users with an address. */
export async function ofAddress(app: App, email: string, only?: string): Promise<Concerned> {
  const found = await findAllByAddress(app, email)
  const concerned = await Promise.all(found.map(({ id }) => app.store.find(memberships, 'user', id)))
  const all = concerned.flat().map(({ organization }) => organization)
  const [first] = found
  return {
    organizations: all.filter((one) => only === undefined || one === only),
    resources: first && found.length === 1 ? { user: first.id } : {},
  }
}

/** The organizations of a token's user, or the only one of the token. */
export async function ofToken(app: App, id: string): Promise<Concerned> {
  const token = await app.store.get(tokens, id)
  if (token === null) return NONE
  const all = token.organization
    ? [token.organization]
    : (await app.store.find(memberships, 'user', token.user)).map(({ organization }) => organization)
  return { organizations: all, resources: { user: token.user, token: id } }
}

/** Every organization: the command changes the installation. */
export const ofAll = async (app: App): Promise<Concerned> => ({
  organizations: (await app.store.intact(organizations)).map(({ id }) => id),
  resources: {},
})

/** Returns the names of the parameters that the operator gave. */
export const givenNames = (given: Values): string[] =>
  Object.keys(given).filter((name) => given[name] !== undefined && given[name] !== false)

/** Executes a command, and records it. Throws `ServiceError` if it is rejected, which is recorded as well. */
export async function runCommand(command: AnyOperatorCommand, operation: Operation, given: Values): Promise<Outcome> {
  const { app } = operation
  // Before, because the command may remove what it concerns, and after, because it may create it.
  const before = (await command.concerns?.(app, given)) ?? NONE
  const entry = {
    operation: command.name.replaceAll(' ', '-'),
    members: givenNames(given),
  }
  try {
    const outcome = await command.operate(operation, given)
    const after = (await command.concerns?.(app, given, outcome)) ?? NONE
    await recordCommand(app, [...before.organizations, ...after.organizations], {
      ...entry,
      resources: { ...before.resources, ...after.resources },
      created: after.created,
      status: 200,
    })
    return outcome
  } catch (error) {
    if (error instanceof ServiceError)
      await recordCommand(app, before.organizations, { ...entry, resources: before.resources, status: error.status })
    throw error
  }
}

/** The folder of the data folder with commands that ran while no server could record them. */
const folderOf = (dataDir: string): string => join(resolve(dataDir), 'noted-commands')

/** A command that ran outside of the server. `resources`: the space that it concerns; absent = the whole installation. */
export type NotedCommand = Pick<OperatorEntry, 'operation' | 'members'> & Partial<Pick<OperatorEntry, 'resources'>>

/** Notes a command that ran outside of the server. `recordNoted` records it, in the running server or at the next start. */
export async function noteCommand(dataDir: string, entry: NotedCommand): Promise<void> {
  await mkdir(folderOf(dataDir), { recursive: true, mode: 0o700 })
  const text = JSON.stringify({ resources: {}, ...entry, status: 200 })
  const file = join(folderOf(dataDir), `${newId()}.json`)
  await writeFile(`${file}.new`, text, { flush: true, mode: 0o600 })
  await rename(`${file}.new`, file)
}

/**
 * Records the noted commands in the log of the organization of their space, or of every organization. After a kill, an
 * entry may be there twice.
 */
export async function recordNoted(app: App, dataDir: string): Promise<void> {
  const names = await readdir(folderOf(dataDir)).catch(() => [])
  for (const name of names.sort()) {
    if (!name.endsWith('.json')) continue
    const file = join(folderOf(dataDir), name)
    const text = await readFile(file, 'utf8').catch(() => null)
    // Another command has just recorded it.
    if (text === null) continue
    const entry: OperatorEntry = JSON.parse(text)
    const { space } = entry.resources
    const { organizations: concerned } = await (space === undefined ? ofAll(app) : ofSpace(app, space))
    await recordCommand(app, concerned, entry)
    await rm(file, { force: true })
  }
}
