/** The operator's commands for the state of the installation: status, gc and fsck. */
import { eachInOrder, lengthOf } from '../../domain/context/in-order.js'
import { checkAll } from '../../domain/upkeep/fsck.js'
import { maintainRepository, removeExpired } from '../../domain/upkeep/housekeeping.js'
import { ServiceError } from '../../kernel/errors.js'
import { isRepositoryFault } from '../../git/index.js'
import { connections, jobs, organizations, spaces } from '../../model/index.js'
import { describeLog } from '../operator-failures.js'
import type { Operation, Outcome } from './declaration.js'
import { amount } from './texts.js'

/** Describes the running server. Problems are missing parts and connections that do not work. */
export async function describeStatus({ app, since, missing }: Operation): Promise<Outcome> {
  const all = await app.store.intact(spaces)
  const failing = (await app.store.intact(connections)).flatMap(({ space, failure }) =>
    failure ? [{ space, since: failure.since, message: failure.message }] : [],
  )
  const json = {
    running: true,
    process: process.pid,
    version: app.settings.version,
    url: app.settings.publicUrl,
    sites: app.settings.sites.origin,
    since: since?.toISOString() ?? null,
    missing: await missing(),
    damaged: [...(app.store.damaged ?? []).map(({ message }) => message), ...(await describeLog(app.store))],
    organizations: (await app.store.intact(organizations)).length,
    spaces: all.filter(({ deletedAt }) => deletedAt === undefined).length,
    jobs: {
      queued: await app.store.count(jobs, 'state', 'queued'),
      running: await app.store.count(jobs, 'state', 'running'),
    },
    failingConnections: failing,
    memoryBytes: process.memoryUsage.rss(),
  }
  const lines = [
    `Bindery ${json.version} runs as process ${json.process} since ${json.since}.`,
    `API and app: ${json.url}`,
    `Sites: ${json.sites}`,
    `${amount(json.organizations, 'organization')}, ${amount(json.spaces, 'space')}; jobs: ${json.jobs.running} running, ${json.jobs.queued} queued`,
    ...json.missing.map((one) => `Not ready: ${one}`),
    ...json.damaged,
    ...failing.map((one) => `The connection of space ${one.space} has failed since ${one.since}: ${one.message}`),
  ]
  return { text: lines.join('\n'), json, problems: json.missing.length + json.damaged.length + failing.length > 0 }
}

/** Packs repositories and removes expired data now, as the daily maintenance does. */
export async function collectGarbage({ app, tell, signal }: Operation): Promise<Outcome> {
  const count = await lengthOf(app.store, spaces, 'all')
  const left: string[] = []
  let at = 0
  for await (const { id } of eachInOrder(app.store, spaces, 'all')) {
    signal.throwIfAborted()
    tell(`repository ${++at} of ${count}`)
    await maintainRepository(app, id).catch((error: unknown) => {
      if (!isRepositoryFault(error)) throw error
      left.push(`Space ${id}: ${error.message}. \`bindery fsck\` checks it.`)
    })
  }
  await removeExpired(app)
  const done = `Maintained ${amount(at - left.length, 'repository', 'repositories')} and removed expired data.`
  return {
    text: [...left, done].join('\n'),
    json: { repositories: at - left.length, problems: left },
    problems: left.length > 0,
  }
}

/** Checks everything that is stored. */
export async function check(
  { app, repairs, since, tell, signal }: Operation,
  { deep, repair }: { deep: boolean; repair: boolean },
): Promise<Outcome> {
  if (repair && since !== null)
    throw new ServiceError(
      'conflict',
      'Stop the server first: `bindery fsck --repair` replaces files that it has open.',
    )
  const { complaints, notes } = await checkAll(app, { deep, repairs, tell, signal })
  return {
    text: [...notes, ...(complaints.length === 0 ? ['No problems found.'] : complaints)].join('\n'),
    json: { complaints, notes },
    problems: complaints.length > 0,
  }
}
