/** The operator's commands for accounts. The running server executes them. If no server runs, the command itself does. */
import { asError, errorCode } from '../kernel/thrown.js'
import { request as send } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Config } from '../config.js'
import { FolderLocked } from '../disk/folder-lock.js'
import { controlPath, whyNoControl } from '../start/control-socket.js'
import { type OperatorReply, type OperatorRequest, replyToOperator } from '../start/operator-requests.js'
import { offline, OperatorError } from './maintenance.js'

const REPLY_MS = 60_000

/**
 * Creates a token and returns its secret. Throws `OperatorError` if no account has the address, with the users who
 * claim it.
 */
export const makeToken = (
  config: Config,
  email: string,
  { label, claimedIn }: { label: string; claimedIn?: string | undefined },
): Promise<string> => carryOut(config, { kind: 'token', email, label, claimedIn })

/**
 * Applies the operator's confirmation about an address. Returns the users of the address, one per line. Throws
 * `OperatorError`.
 */
export const makeUser = (
  config: Config,
  email: string,
  { name, free }: { name?: string | undefined; free?: boolean | undefined },
): Promise<string> => carryOut(config, { kind: 'user', email, name, free })

async function carryOut(config: Config, request: OperatorRequest): Promise<string> {
  const reply = (await askServer(config.dataDir, request)) ?? (await doOffline(config, request))
  if ('refused' in reply) throw new OperatorError(reply.refused)
  return reply.done
}

async function doOffline(config: Config, request: OperatorRequest): Promise<OperatorReply> {
  const service = await offline(config).catch((error: unknown) => {
    const reason = whyNoControl(config.dataDir)
    throw error instanceof FolderLocked && reason !== null
      ? new OperatorError(`${error.message}. To run the command while the server is running: ${reason}.`)
      : error
  })
  try {
    return await replyToOperator(service.app, request)
  } finally {
    await service.close()
  }
}

/**
 * Sends a request to the server that has the data folder; null if none runs: there is no socket, or one that a killed
 * server left.
 */
async function askServer(dataDir: string, request: OperatorRequest): Promise<OperatorReply | null> {
  if (whyNoControl(dataDir) !== null) return null
  try {
    return await exchange(controlPath(dataDir), JSON.stringify(request))
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return null
    if (code === 'EACCES' || code === 'EPERM')
      throw new OperatorError(
        `${dataDir} belongs to another user. Run the command as the user that the server runs as.`,
      )
    throw new OperatorError(
      `The server did not respond at ${controlPath(dataDir)} (${asError(error).message}). The command may have been carried out. Check the server's log, then try again.`,
    )
  }
}

function exchange(socketPath: string, body: string): Promise<OperatorReply> {
  return new Promise((done, failed) => {
    const request = send(
      { socketPath, method: 'POST', path: '/', signal: AbortSignal.timeout(REPLY_MS) },
      (response) => {
        text(response)
          .then((reply) => done(JSON.parse(reply)))
          .catch(failed)
      },
    )
    request.once('error', failed).end(body)
  })
}
