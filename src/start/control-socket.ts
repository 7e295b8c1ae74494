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
import { type OperatorReply, readOperatorRequest, replyToOperator } from './operator-requests.js'
import { stopServer } from './listen.js'

const BODY_BYTES = 16 * 1024
const REQUEST_MS = 10_000
const CONNECTIONS = 8

const folderOf = (dataDir: string): string => join(dataDir, 'control')
export const controlPath = (dataDir: string): string => join(folderOf(dataDir), 'socket')

/** Returns why the data folder cannot contain the socket; null if it can. */
export const whyNoControl = (dataDir: string): string | null => whyNoSocket(controlPath(dataDir), 'BINDERY_DATA_DIR')

/** The parts of the service that the socket needs. */
interface Surroundings {
  dataDir: string
  /** Translates failures that an operator has to fix. */
  explain(thrown: unknown): Promise<unknown>
}

/**
 * Serves requests of operators until the returned function is called. Only the process that owns the data may call it,
 * so an existing
 * socket was left by a killed process. Without the socket, the service still works, and the log contains the reason.
 */
export async function openControl(app: App, { dataDir, explain }: Surroundings): Promise<() => Promise<void>> {
  const reason = whyNoControl(dataDir)
  if (reason !== null) {
    app.log.warn({}, `Stop the server to run the commands token and user: ${reason}.`)
    return async () => {}
  }
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, connectionsCheckingInterval: 1_000 },
    (request, response) => {
      void handle(app, { request, response, explain })
    },
  )
  server.maxConnections = CONNECTIONS
  const close = async (): Promise<void> => {
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
    app.log.warn(
      { error },
      `Stop the server to run the commands token and user: ${controlPath(dataDir)} cannot be created.`,
    )
  }
  return close
}

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
  explain: Surroundings['explain']
}

async function handle(app: App, { request, response, explain }: Exchange): Promise<void> {
  let reply: OperatorReply
  try {
    const asked = readOperatorRequest(await readJson(request))
    reply =
      asked === null
        ? { refused: 'The server does not know this request. Run the command from the same release.' }
        : await replyToOperator(app, asked)
  } catch (thrown) {
    const error = await explain(thrown)
    if (!(error instanceof ServiceError)) app.log.error({ error: thrown }, 'An operator command failed.')
    reply = { refused: error instanceof ServiceError ? error.message : 'The server failed. Find the cause in its log.' }
  }
  response.setHeader('Connection', 'close').end(JSON.stringify(reply))
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
