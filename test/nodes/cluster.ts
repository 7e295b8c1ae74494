/** Nodes on one PostgreSQL database, each behind proxies, with a mail server and a webhook endpoint. */
import { appendFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Receiver, startReceiver } from '../events/receiver.js'
import { TOKEN } from '../races/server-process.js'
import { type Postgres, startPostgres } from '../support/postgres.js'
import { type Smtp, startSmtp } from '../support/smtp.js'
import { Asker } from './asker.js'
import { Node } from './node.js'

/** The number of nodes in a story. */
export const NODES = Number(process.env.NODES_COUNT ?? 3)

/** Records faults and continues. A story reports all of them at its end. */
export interface Judge {
  faults: string[]
  /** Records a fault with the time since the start. */
  fault(what: string): void
  /** Records a note that helps to find the cause of a fault. */
  trace(what: string): void
  /** Stores the output of a node. */
  keep(name: string, output: string): void
}

export interface Cluster {
  dir: string
  nodes: Node[]
  postgres: Postgres
  receiver: Receiver
  smtp: Smtp
  organization: string
  judge: Judge
  /** Whether the database is undisturbed. */
  database: { up: boolean }
  /** The nodes that are running and reach both the database and their clients. */
  good(): Node[]
  /** A client that calls the nodes with a token, by default the token of the first admin. */
  asker(name: string, token?: string, keepAlive?: boolean): Asker
  close(): Promise<void>
}

/** Starts the first node, which creates the first organization, then the others. */
export async function startCluster(options: {
  env?: Record<string, string>
  nodes?: number
  judge: Judge
}): Promise<Cluster> {
  const dir = await mkdtemp(join(tmpdir(), 'nodes-'))
  const [postgres, receiver, smtp] = await Promise.all([startPostgres(), startReceiver(), startSmtp()])
  const url = new URL(await postgres.database())
  const env = {
    BINDERY_PUBLIC_URL: 'http://docs.example.test',
    BINDERY_SITES_ORIGIN: 'http://sites.example.test',
    BINDERY_RATE_LIMIT_SIGN_INS: '0',
    BINDERY_ALLOW_PRIVATE_NETWORKS: 'true',
    BINDERY_SMTP_URL: smtp.url,
    BINDERY_MAIL_FROM: 'Docs <docs@example.test>',
    BINDERY_LOG_LEVEL: 'info',
    ...options.env,
  }
  const database = { path: join(url.searchParams.get('host') as string, '.s.PGSQL.5432') }
  const databaseUrl = (port: number): string => `postgresql://bindery@127.0.0.1:${port}${url.pathname}`
  const ports = freePorts()
  const nodes = await Promise.all(
    Array.from({ length: options.nodes ?? NODES }, (_, i) =>
      Node.make({ name: `node ${i + 1}`, dir: join(dir, `node-${i + 1}`), database, databaseUrl, env, ports }),
    ),
  )
  for (const node of nodes) {
    node.start()
    await node.ready()
  }
  const organization = /Organization\s+(\S+)/.exec((nodes[0] as Node).output())?.[1] as string
  const state = { up: true }
  return {
    dir,
    nodes,
    postgres,
    receiver,
    smtp,
    organization,
    judge: options.judge,
    database: state,
    good: () => (state.up ? nodes.filter(({ good }) => good) : []),
    asker: (name, token = TOKEN, keepAlive = true) => new Asker(name, token, options.judge, keepAlive),
    close: async () => {
      await Promise.all(nodes.map((node) => node.close()))
      receiver.close()
      await Promise.all([smtp.close(), postgres.close()])
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** A port for each run of a node, below the range that the system assigns. */
function freePorts(): () => number {
  let next = 12_000 + (process.pid % 100) * 150
  return () => next++
}

/**
 * `NODES_TRACE=<file>` logs each request and disturbance. `NODES_KNOWN=<pattern>` continues after known faults, to find
 * others.
 */
export function newJudge(): Judge {
  const started = performance.now()
  const faults: string[] = []
  const { NODES_TRACE: file, NODES_KNOWN } = process.env
  const known = NODES_KNOWN ? new RegExp(NODES_KNOWN) : null
  const write = (what: string): string => {
    const line = `${((performance.now() - started) / 1000).toFixed(2)} s: ${what}`
    if (file !== undefined) appendFileSync(file, `${line}\n`)
    return line
  }
  return {
    faults,
    fault: (what) => {
      if (known?.test(what)) write(`known fault: ${what}`)
      else faults.push(write(`FAULT ${what}`))
    },
    trace: (what) => void write(what),
    keep: (name, output) => file !== undefined && writeFileSync(`${file}.${name.replace(' ', '-')}`, output),
  }
}
