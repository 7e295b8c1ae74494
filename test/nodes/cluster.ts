/** Nodes on one PostgreSQL, each behind proxies, with a mail server and an endpoint of webhooks. */
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

/** How many nodes a story has. */
export const NODES = Number(process.env.NODES_COUNT ?? 3)

/** Notes what must not happen, and goes on: a story tells all of it at its end. */
export interface Judge {
  faults: string[]
  /** A fault, with the moment since the start. */
  fault(what: string): void
  /** Something to know when looking for the cause of a fault. */
  trace(what: string): void
  /** Keeps what a node has said. */
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
  /** Whether the database was left alone. */
  database: { up: boolean }
  /** Nodes that are running and reach both the database and their clients. */
  good(): Node[]
  /** Somebody who calls the nodes with a token, the first admin's unless one is given. */
  asker(name: string, token?: string, keepAlive?: boolean): Asker
  close(): Promise<void>
}

/** Starts the first node, which makes the first organization, then the others. */
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

/** A port for each life of a node, below those that the system gives to others. */
function freePorts(): () => number {
  let next = 12_000 + (process.pid % 100) * 150
  return () => next++
}

/** `NODES_TRACE=<file>` writes down each request and disturbance; `NODES_KNOWN=<pattern>` goes on after faults that are known, to look for others. */
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
