/** The command that removes files, texts or a person from the history of a space for good. The server is stopped. */
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import type { Config } from '../config.js'
import { FolderLocked } from '../disk/folder-lock.js'
import type { App } from '../domain/context/app.js'
import { repositoryName } from '../domain/context/refs.js'
import { migrations } from '../domain/upkeep/migrations.js'
import {
  changesOfPurge,
  movedRefs,
  planPurge,
  type PurgeOrder,
  type PurgePlan,
  PurgeRefused,
} from '../domain/upkeep/purge-secret.js'
import { adoptRepository } from '../git/index.js'
import { documentTables, journals, spaces } from '../model/index.js'
import type { Database } from '../postgres/index.js'
import {
  openEmbeddedSource,
  openPostgresSource,
  rewritePostgresStore,
  rewrittenSource,
  writeEmbeddedStore,
} from '../store/index.js'
import { commitPurge, dropDerived, finishPurge, lockPurge, purgePaths } from '../start/purge-swap.js'
import { openFor, refuseRunning } from './migrate/installation.js'
import { offline, OperatorError } from './maintenance.js'

/** The options of the command line. */
export interface PurgeOptions {
  path: readonly string[]
  /** Files with a text each; - = standard input. */
  text: readonly string[]
  person: readonly string[]
  dryRun?: boolean
  yes?: boolean
}

/** The findings of a preview, or the changes that were made. */
export interface PurgeReport {
  done: boolean
  commits: string[]
  signaturesLost: number
  files: { path: string; versions: number }[]
  pages: PurgePlan['pages']
  refs: string[]
  /** IDs of changed documents by table. */
  documents: Record<string, string[]>
  lfsObjects: string[]
  /** Places that the command cannot reach. */
  outside: string[]
}

/** Removes, or finds what would be removed. Throws `OperatorError`. */
export async function purgeSecret(config: Config, space: string, options: PurgeOptions): Promise<PurgeReport> {
  const order = await orderOf(options)
  const isReal = options.yes === true && options.dryRun !== true
  if (config.databaseUrl === null && !existsSync(purgePaths(config, '').store))
    throw new OperatorError(`${config.dataDir} is not the data folder of a server. Set BINDERY_DATA_DIR.`)
  const lock = lockPurge(config)
  try {
    const database = config.databaseUrl === null ? null : openFor(config.databaseUrl)
    try {
      if (database) await refuseRunning(database)
      await finishPurge(config)
      const plan = await withApp(config, (app) => planIn(app, config, { space, order, isReal }))
      const { change, changed } = changesOfPurge(plan, order, new Date())
      await countDocuments(config, change, database)
      const isFound = plan.history.names.size > 0 || changed.size > 0
      if (isReal && isFound) await carryOut(config, plan, change, database)
      if (isReal && database) await vacuum(database)
      await finishPurge(config)
      return reportOf(plan, changed, isReal && isFound)
    } finally {
      await database?.close()
    }
  } catch (error) {
    throw error instanceof PurgeRefused ? new OperatorError(error.message) : error
  } finally {
    lock.release()
  }
}

type Change = ReturnType<typeof changesOfPurge>['change']

async function orderOf({ path, text, person }: PurgeOptions): Promise<PurgeOrder> {
  const texts: string[] = []
  for (const file of text) {
    const content = await (file === '-' ? readAll(process.stdin) : readFile(file, 'utf8')).catch(() => {
      throw new OperatorError(
        `${file} cannot be read. --text names a file that contains the text; - is the standard input.`,
      )
    })
    texts.push(content.replace(/\r?\n$/, ''))
  }
  return { paths: path.map((one) => one.replace(/\/$/, '')), texts, people: person.map((email) => ({ email })) }
}

async function withApp<T>(config: Config, work: (app: App) => Promise<T>): Promise<T> {
  const service = await offline(config).catch((error: unknown) => {
    throw error instanceof FolderLocked ? new OperatorError(`${error.message}.`) : error
  })
  try {
    return await work(service.app)
  } finally {
    await service.close()
  }
}

async function planIn(
  app: App,
  config: Config,
  { space: id, order, isReal }: { space: string; order: PurgeOrder; isReal: boolean },
): Promise<PurgePlan> {
  const doc = await app.store.get(spaces, id)
  if (!doc || !(await app.git.exists(repositoryName(id))))
    throw new OperatorError(`${id} is not the ID of a space. GET /v1/orgs/<organization>/spaces lists the IDs.`)
  const { newRepository } = purgePaths(config, id)
  const space = { doc, role: 'admin' as const, repo: await app.git.open(repositoryName(id)) }
  return planPurge(app, space, order, isReal ? newRepository : null)
}

/** Reads the documents of a stopped installation. */
const sourceOf = (config: Config, database: Database | null) =>
  database
    ? openPostgresSource(database, migrations)
    : openEmbeddedSource({ dir: purgePaths(config, '').store, migrations, journals })

async function countDocuments(config: Config, change: Change, database: Database | null): Promise<void> {
  const source = await sourceOf(config, database)
  const rewritten = rewrittenSource(source, change)
  try {
    for (const table of await rewritten.tables()) for await (const _ of rewritten.documents(table));
  } finally {
    await source.close()
  }
}

async function carryOut(config: Config, plan: PurgePlan, change: Change, database: Database | null): Promise<void> {
  const source = await sourceOf(config, database)
  const { newStore, newRepository, repository } = purgePaths(config, plan.space)
  try {
    if (database === null) {
      await writeEmbeddedStore(newStore, rewrittenSource(source, change), documentTables)
      await commitPurge(config, { space: plan.space, lfs: plan.lfsFiles })
    } else {
      const takePlace = await adoptRepository(database, repositoryName(plan.space), newRepository)
      await rewritePostgresStore(database, source, change, {
        tables: documentTables,
        alongside: async (session) => {
          await takePlace(session)
          await session.query("DELETE FROM files WHERE shelf IN ('pdf', 'bundles')")
          await session.query("DELETE FROM files WHERE shelf = 'lfs' AND name = ANY($1)", [plan.lfsFiles])
          await session.query(
            'DELETE FROM file_chunks WHERE NOT EXISTS (SELECT FROM files WHERE files.upload = file_chunks.upload)',
          )
        },
      })
      await rm(repository, { recursive: true, force: true })
      await dropDerived(config)
    }
  } finally {
    await source.close()
  }
}

/** Rewrites the tables, so that their files no longer contain deleted rows. Also after an interruption. */
async function vacuum(database: Database): Promise<void> {
  for (const table of [
    'documents',
    'document_keys',
    'document_places',
    'journal_records',
    'pack_chunks',
    'file_chunks',
  ])
    await database.query(`VACUUM FULL ${table}`)
}

function reportOf(plan: PurgePlan, changed: ReadonlyMap<string, ReadonlySet<string>>, done: boolean): PurgeReport {
  const { history, pages, lfsFiles, outside } = plan
  return {
    done,
    commits: [...history.commits],
    signaturesLost: history.signatures,
    files: [...history.files].map(([path, versions]) => ({ path, versions })),
    pages,
    refs: movedRefs(plan),
    documents: Object.fromEntries([...changed].map(([table, ids]) => [table, [...ids]])),
    lfsObjects: lfsFiles,
    outside,
  }
}

const MAX_LINES = 50

/** Returns the report as text. */
export function describePurge(report: PurgeReport, dataDir: string): string {
  const { commits, files, pages, refs, documents, outside } = report
  if (commits.length === 0 && Object.keys(documents).length === 0)
    return 'Nothing was found, and nothing was changed. The text must match exactly, and paths start at the root of the repository.'
  const list = (title: string, lines: readonly string[]): string[] => [
    `${title}: ${lines.length}`,
    ...lines.slice(0, MAX_LINES).map((line) => `  ${line}`),
    ...(lines.length > MAX_LINES ? [`  and ${lines.length - MAX_LINES} more`] : []),
  ]
  return [
    ...list('Commits that change', commits),
    ...(report.signaturesLost > 0 ? [`Commits and tags that lose their signature: ${report.signaturesLost}`] : []),
    ...list(
      'Files',
      files.map(({ path, versions }) => `${path} (${versions} versions)`),
    ),
    ...list(
      'Pages',
      pages.map(({ title, path, id }) => `${title} (${path}, ${id})`),
    ),
    ...list('Refs', refs),
    ...list(
      'Documents',
      Object.entries(documents).flatMap(([table, ids]) => ids.map((id) => `${table} ${id}`)),
    ),
    ...list('Not reached', outside),
    report.done
      ? `Done. Everything else in ${resolve(dataDir)} was rewritten, and caches were deleted. You can start the server.`
      : 'This was a preview. To remove the content for good, run the command again with --yes.',
  ].join('\n')
}
