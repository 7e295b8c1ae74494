/**
 * The socket through which `bindery refresh` asks a node's running server to bring a repository up to date. It is in
 * the folder of the repositories, which only the server's user can enter. The server does the work because it holds the
 * lock of the folder.
 */
import { errorCode } from '../../kernel/thrown.js'
import { rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { whyNoSocket } from '../../disk/socket-path.js'

const pathIn = (reposDir: string): string => join(reposDir, '.bindery-refresh')
const canHaveSocket = (reposDir: string): boolean => whyNoSocket(pathIn(reposDir), 'BINDERY_REPOS_DIR') === null
/** Maximum length of a name in bytes, and maximum time to receive it in milliseconds. */
const MAX_BYTES = 200
const PATIENCE_MS = 10_000
/** Maximum time of a refresh in milliseconds. The first one may read gigabytes. */
const REFRESH_MS = 3_600_000

export interface RefreshSocket {
  close(): Promise<void>
}

/**
 * Opens the socket. A folder whose path is too long gets none.
 * @param refresh throws if the repository cannot be brought up to date, with a message for the operator
 */
export async function openRefreshSocket(
  reposDir: string,
  refresh: (name: string) => Promise<void>,
): Promise<RefreshSocket> {
  if (!canHaveSocket(reposDir)) return { close: async () => {} }
  const path = pathIn(reposDir)
  // This process holds the lock of the folder, so the file is left from a killed server.
  rmSync(path, { force: true })
  // bound: clients of the socket, for REFRESH_MS at most
  const asking = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    asking.add(socket)
    socket.on('close', () => asking.delete(socket)).on('error', () => socket.destroy())
    socket.setTimeout(PATIENCE_MS, () => socket.destroy())
    void answer(socket, refresh).catch(() => socket.destroy())
  })
  await new Promise<void>((done, failed) => server.once('error', failed).listen(path, done))
  return {
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        for (const socket of asking) socket.destroy()
      }),
  }
}

async function answer(socket: Socket, refresh: (name: string) => Promise<void>): Promise<void> {
  const name = await readAll(socket, MAX_BYTES)
  socket.setTimeout(REFRESH_MS, () => socket.destroy())
  socket.end(
    await refresh(name).then(
      () => '',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    ),
  )
}

/**
 * Asks the running server of this folder to refresh a repository. Returns null on success, a message for the operator
 * on failure, and undefined if no server runs or it has no socket.
 */
export async function requestRefresh(reposDir: string, name: string): Promise<string | null | undefined> {
  if (!canHaveSocket(reposDir)) return undefined
  const socket = connect(pathIn(reposDir))
  try {
    await new Promise<void>((done, failed) => socket.once('connect', done).once('error', failed))
    socket.end(name)
    const said = await readAll(socket, 10_000)
    return said === '' ? null : said
  } catch (error) {
    if (['ENOENT', 'ECONNREFUSED'].includes(errorCode(error) ?? '')) return undefined
    throw error
  } finally {
    socket.destroy()
  }
}

async function readAll(socket: Socket, most: number): Promise<string> {
  let text = ''
  for await (const part of socket.iterator({ destroyOnReturn: false })) {
    text += String(part)
    if (text.length > most) throw new Error('The message is too long')
  }
  return text
}
