/** Assembles the metrics of `/metrics`. docs/administration.md lists all of them. */
import { createMetrics, type Metrics } from '../api/pipeline/metrics.js'
import type { Config } from '../config.js'
import { roomOf } from '../disk/folder-watch.js'
import type { App } from '../domain/context/app.js'
import { lengthOf } from '../domain/context/in-order.js'
import { jobKinds } from '../jobs/kinds.js'
import type { MemoryBudget } from '../kernel/memory-budget.js'
import { jobs, spaces } from '../model/index.js'

/** Returns the metrics of a service: requests, process, background work, and values that are read on demand. */
export function metricsOf(app: App, config: Config, budget: MemoryBudget): Metrics {
  const metrics = createMetrics(app.meters.registry)
  metrics.gauge(
    'bindery_git_processes_started',
    'Git processes started since the server started',
    () => app.git.processesStarted,
  )
  metrics.gauge(
    'bindery_cache_bytes',
    'Estimated memory of all caches together, at most BINDERY_CACHE_BYTES',
    () => budget.used,
  )
  metrics.gauges('bindery_build_info', 'The version of the service; always 1', 'version', async () => ({
    [app.settings.version]: 1,
  }))
  metrics.gauges('bindery_jobs_queued', 'Due jobs of the installation that wait for a slot', 'kind', () =>
    countDueJobs(app),
  )
  metrics.gauges('bindery_disk_free_bytes', 'Free space on the disk of a folder', 'folder', async () => ({
    data: (await roomOf(config.dataDir)).free,
    repos: (await roomOf(config.reposDir)).free,
  }))
  metrics.gauges('bindery_disk_nearly_full', 'Whether a disk has little room left', 'folder', async () => ({
    data: Number((await roomOf(config.dataDir)).isLow),
    repos: Number((await roomOf(config.reposDir)).isLow),
  }))
  metrics.gauge(
    'bindery_documents_log_bytes',
    'Size of the log of the documents, which is not shortened while a file of documents is damaged; 0 with a database',
    async () => (await app.store.logBytes?.()) ?? 0,
  )
  metrics.gauges('bindery_spaces', 'Spaces of the installation', 'state', () => countSpaces(app))
  return metrics
}

async function countDueJobs(app: App): Promise<Record<string, number>> {
  const now = app.clock.now().toISOString()
  const counts = Object.fromEntries([...jobKinds.keys()].map((kind) => [kind, 0]))
  for (const { kind, notBefore = '' } of await app.store.find(jobs, 'state', 'queued')) {
    if (notBefore <= now && counts[kind] !== undefined) counts[kind]++
  }
  return counts
}

async function countSpaces(app: App): Promise<Record<string, number>> {
  const all = await lengthOf(app.store, spaces, 'all')
  const deleted = await lengthOf(app.store, spaces, 'deletedAt')
  return { active: all - deleted, deleted }
}
