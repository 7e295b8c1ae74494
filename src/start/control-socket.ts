/**
 * The socket in the data folder for commands to the running server. Only the owner can use the folder and the socket,
 * and the owner can read the data folder anyway.
 */
import { chmod, mkdir, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { isRefusedWrite } from '../disk/folder-watch.js'
import { whyNoSocket } from '../disk/socket-path.js'
import type { App } from '../domain/context/app.js'
import { ServiceError } from '../kernel/errors.js'
import { isRecord } from '../kernel/guards.js'
import { recordNoted, runCommand } from './operator/audit.js'
import { operatorCommands } from './operator/commands.js'
import { type Operation, type Outcome, wrongValue } from './operator/declaration.js'
import { stopServer } from './listen.js'

const BODY_BYTES = 16 * 1024
const REQUEST_MS = 10_000
const CONNECTIONS = 8
/** Interval between lines of a running command, in milliseconds, so that the client knows that the server works. */
const SIGN_MS = 5_000

const folderOf = (dataDir: string): string => join(dataDir, 'control')
export const controlPath = (dataDir: string): string => join(folderOf(dataDir), 'socket')

/** Returns why the data folder cannot contain the socket; null if it can. */
export const whyNoControl = (dataDir: string): string | null => whyNoSocket(controlPath(dataDir), 'BINDERY_DATA_DIR')

/**
 * A line of a response. While the command runs, lines with its progress; the last line has its outcome or the reason
 * for a rejection.
 */
export type ControlLine = { progress: string } | { done: Outcome } | { refused: string }

/** The parts of the service that the socket needs. */
interface Surroundings {
  dataDir: string
  /** Returns what the service lacks to serve requests. */
  missing(): Promise<string[]>
  /** Translates failures that an operator has to fix. */
  explain(thrown: unknown): Promise<unknown>
}

/**
 * Serves requests of operators until the returned function is called. Only the process that owns the data may call it,
 * so an existing
 * socket was left by a killed process. Without the socket, the service still works, and the log contains the reason.
 */
export async function openControl(app: App, around: Surroundings): Promise<() => Promise<void>> {
  const { dataDir } = around
  const reason = whyNoControl(dataDir)
  if (reason !== null) {
    app.log.warn({}, `${STOP_FIRST}: ${reason}.`)
    return async () => {}
  }
  const stopping = new AbortController()
  const surroundings = { ...around, since: new Date(), signal: stopping.signal }
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, connectionsCheckingInterval: 1_000 },
    (request, response) => {
      void handle(app, { request, response, around: surroundings })
    },
  )
  server.maxConnections = CONNECTIONS
  const close = async (): Promise<void> => {
    stopping.abort(new ServiceError('unavailable', 'The server is stopping. Run the command again.'))
    if (server.listening) await stopServer(server)
    try {
      await rm(folderOf(dataDir), { recursive: true, force: true })
    } catch (error) {
      // A folder that can no longer be written to keeps the socket; the next start replaces it.
      if (!isRefusedWrite(error)) throw error
    }
  }
  try {
    await listen(server, dataDir)
  } catch (error) {
    app.log.warn({ error }, `${STOP_FIRST}: ${controlPath(dataDir)} cannot be created.`)
  }
  return close
}

const STOP_FIRST = 'Stop the server to run commands of `bindery`'

async function listen(server: Server, dataDir: string): Promise<void> {
  await rm(folderOf(dataDir), { recursive: true, force: true })
  // The folder is private from the start, so no other user reaches the socket before its mode is set.
  await mkdir(folderOf(dataDir), { mode: 0o700 })
  await new Promise<void>((done, failed) => {
    server.once('error', failed)
    server.listen(controlPath(dataDir), done)
  })
  await chmod(controlPath(dataDir), 0o600)
}

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  around: Surroundings & Pick<Operation, 'since' | 'signal'>
}

async function handle(app: App, { request, response, around }: Exchange): Promise<void> {
  const write = (line: ControlLine): void => void response.write(`${JSON.stringify(line)}\n`)
  let last = ''
  const sign = setInterval(() => write({ progress: last }), SIGN_MS)
  const tell = (progress: string): void => {
    if (progress !== last) write({ progress: (last = progress) })
  }
  response.setHeader('Connection', 'close')
  try {
    const { missing, since, signal } = around
    const outcome = await execute(
      await readJson(request),
      { app, repairs: [], since, missing, tell, signal },
      around.dataDir,
    )
    write(outcome === null ? { refused: UNKNOWN } : { done: outcome })
  } catch (thrown) {
    const error = await around.explain(thrown)
    if (!(error instanceof ServiceError)) app.log.error({ error: thrown }, 'An operator command failed.')
    write({
      refused: error instanceof ServiceError ? error.message : 'The server failed. Find the cause in its log.',
    })
  } finally {
    clearInterval(sign)
    response.end()
  }
}

/** The request to record the commands that ran outside of the server. */
export const RECORD_NOTED = 'record-noted'

const UNKNOWN = 'The server does not know this request. Run the command from the same release.'

/** Executes a request `{command, given}`. Returns null if it is invalid. */
async function execute(request: unknown, operation: Operation, dataDir: string): Promise<Outcome | null> {
  if (!isRecord(request) || !isRecord(request.given)) return null
  const { command: name, given } = request
  if (name === RECORD_NOTED) {
    await recordNoted(operation.app, dataDir)
    return { text: '', json: null }
  }
  const command = operatorCommands.find((one) => one.name === name)
  if (command === undefined || wrongValue(command.parameters, given) !== null) return null
  const outcome = await runCommand(command, operation, given)
  operation.app.log.info({ command: name }, 'An operator command was executed.')
  return outcome
}

/** Returns the body of a request as JSON; undefined if it is too long or not JSON. */
async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  let bytes = 0
  const received: AsyncIterable<Buffer> = request
  for await (const part of received) {
    bytes += part.length
    if (bytes > BODY_BYTES) return undefined
    parts.push(part)
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'))
  } catch {
    return undefined
  }
}
