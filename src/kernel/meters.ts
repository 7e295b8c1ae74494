/**
 * Counts background work for `/metrics`. Labels come from fixed sets, never from user input, so that the number of
 * series is limited.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

const JOB_SECONDS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 900, 3600]

export class Meters {
  /** The registry of this service. Two services in one process have separate ones. */
  readonly registry = new Registry()

  readonly #counter = <L extends string>(name: string, help: string, labelNames: L[]): Counter<L> =>
    new Counter({ name, help, labelNames, registers: [this.registry] })

  readonly jobsRunning = new Gauge({
    name: 'bindery_jobs_running',
    help: 'Jobs running on this node',
    labelNames: ['kind'],
    registers: [this.registry],
  })
  readonly jobs = this.#counter('bindery_jobs_total', 'Job runs that ended', ['kind', 'outcome'])
  readonly jobSeconds = new Histogram({
    name: 'bindery_job_duration_seconds',
    help: 'Time from the start of a job run to its end',
    labelNames: ['kind'],
    buckets: JOB_SECONDS,
    registers: [this.registry],
  })
  readonly syncs = this.#counter('bindery_syncs_total', 'Imports from and exports to repositories that ended', [
    'direction',
    'outcome',
  ])
  readonly polls = this.#counter('bindery_polls_total', 'Polls of connected repositories', ['outcome'])
  readonly deliveries = this.#counter('bindery_webhook_deliveries_total', 'Attempts to deliver an event to a webhook', [
    'outcome',
  ])
  readonly mails = this.#counter('bindery_mails_total', 'Attempts to send a mail', ['outcome'])
}
