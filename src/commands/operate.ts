/**
 * Executes a command that works on an open installation. The running server executes it. If no server runs, the command
 * itself opens the installation.
 */
import { asError, errorCode } from '../kernel/thrown.js'
import { request as send } from 'node:http'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { Config } from '../config.js'
import { FolderLocked } from '../disk/folder-lock.js'
import { ServiceError } from '../kernel/errors.js'
import { type ControlLine, controlPath, RECORD_NOTED, whyNoControl } from '../start/control-socket.js'
import { givenNames, noteCommand, runCommand } from '../start/operator/audit.js'
import type { AnyLocalCommand, AnyOperatorCommand, Outcome, Terminal, Values } from '../start/operator/declaration.js'
import { offline, OperatorError } from './maintenance.js'

/** Maximum silence of the server in milliseconds. While a command runs, it sends a line every few seconds. */
const SILENCE_MS = 60_000

interface Execution {
  command: AnyOperatorCommand
  given: Values
  terminal: Terminal
}

/** Executes a command. Throws `OperatorError` if it is rejected. */
export async function operate(config: Config, execution: Execution): Promise<Outcome> {
  const { given } = execution
  const read = given.url === '-' ? { ...given, url: (await text(process.stdin)).trim() } : given
  const complete = { ...execution, given: read }
  return (await askServer(config.dataDir, complete)) ?? (await doOffline(config, complete))
}

/**
 * Notes a local command that copied data out of the installation, for the audit log. A running server records it at once,
 * otherwise the next start does. Returns why it cannot be noted; null if it was.
 */
export async function noteCopy(
  { dataDir }: Pick<Config, 'dataDir'>,
  { name, copies }: AnyLocalCommand,
  given: Values,
): Promise<string | null> {
  if (copies === undefined) return null
  try {
    await noteCommand(dataDir, { operation: name, members: givenNames(given), resources: copies(given) })
  } catch (error) {
    return `The audit log will not contain this command: ${asError(error).message}`
  }
  const request = JSON.stringify({ command: RECORD_NOTED, given: {} })
  // Without a server, or if it fails, the next start records the note.
  if (whyNoControl(dataDir) === null) await exchange(controlPath(dataDir), request, () => {}).catch(() => null)
  return null
}

async function doOffline(config: Config, { command, given, terminal }: Execution): Promise<Outcome> {
  if (command.needs === 'server') return withoutServer(config)
  const service = await offline(config, { jobs: command.needs === 'jobs', repair: given.repair === true }).catch(
    (error: unknown) => {
      const reason = whyNoControl(config.dataDir)
      throw error instanceof FolderLocked && reason !== null
        ? new OperatorError(`${error.message}. To run the command while the server is running: ${reason}.`)
        : error
    },
  )
  try {
    const { app, repairs } = service
    const { signal } = new AbortController()
    return await runCommand(
      command,
      { app, repairs, since: null, missing: async () => [], tell: terminal.tell, signal },
      given,
    )
  } catch (error) {
    throw error instanceof ServiceError ? new OperatorError(error.message, { cause: error }) : error
  } finally {
    await service.close()
  }
}

const withoutServer = ({ dataDir }: Config): Outcome => ({
  text: `No server that accepts commands runs on ${dataDir}. \`bindery serve\` starts one, and \`bindery doctor\` checks what it needs.`,
  json: { running: false },
  problems: true,
})

/**
 * Sends a request to the server that has the data folder; null if none runs: there is no socket, or one that a killed
 * server left.
 */
async function askServer(dataDir: string, execution: Execution): Promise<Outcome | null> {
  if (whyNoControl(dataDir) !== null) return null
  const { command, given, terminal } = execution
  const reply = await exchange(
    controlPath(dataDir),
    JSON.stringify({ command: command.name, given }),
    terminal.tell,
  ).catch((error: unknown) => {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return null
    if (code === 'EACCES' || code === 'EPERM')
      throw new OperatorError(
        `${dataDir} belongs to another user. Run the command as the user that the server runs as.`,
      )
    throw new OperatorError(
      `The server did not respond at ${controlPath(dataDir)} (${asError(error).message}). The command may have been carried out. Check the server's log, then try again.`,
    )
  })
  if (reply === null) return null
  if ('refused' in reply) throw new OperatorError(reply.refused)
  return reply.done
}

function exchange(
  socketPath: string,
  body: string,
  tell: (progress: string) => void,
): Promise<Exclude<ControlLine, { progress: string }>> {
  return new Promise((done, failed) => {
    const request = send({ socketPath, method: 'POST', path: '/', timeout: SILENCE_MS }, (response) => {
      createInterface({ input: response })
        .on('line', (line) => {
          const parsed: ControlLine = JSON.parse(line)
          if ('progress' in parsed) tell(parsed.progress)
          else done(parsed)
        })
        .on('close', () => failed(new Error('the connection ended')))
      response.once('error', failed)
    })
    request
      .once('timeout', () => request.destroy(new Error(`no sign for ${SILENCE_MS / 1000} seconds`)))
      .once('error', failed)
      .end(body)
  })
}
