/**
 * A PostgreSQL server from the system's packages, in a temporary folder with its socket. It can be killed, stopped and
 * restarted.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { sharedPath } from './shared-path.js'

const run = promisify(execFile)

export interface Postgres {
  /** A new, empty database and its URL. A named one may already exist. */
  database(name?: string): Promise<string>
  /** Ends the server. `SIGQUIT` acts like a crash and ends its children too. Committed data exist after `start`. */
  crash(): Promise<void>
  /** Starts it again on the same folder and socket. */
  start(): Promise<void>
  /** Saves its folder while the server is stopped. `restore` resets the folder to that. */
  keep(): Promise<void>
  restore(): Promise<void>
  /** The server's process, for signals. */
  pid(): number
  /** Stops all its processes with open sockets, or lets them continue. */
  freeze(value: boolean): Promise<void>
  close(): Promise<void>
}

/** Debian installs the programs of each version in a separate folder outside PATH. */
function program(name: string): string {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const found = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ]
    .map((dir) => join(dir, name))
    .find(existsSync)
  if (!found) throw new Error(`${name} is needed for this test: install the package postgresql (scripts/test does).`)
  return found
}

/** PostgreSQL does not run as root. In that case, it runs as the user that the package created. */
async function userOf(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {}
  const id = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}

/**
 * The parent folder may be one of the test run, private to root. The server's user has to pass through it. A folder
 * that is open to all, such as /tmp, is unchanged.
 */
async function letThrough(folder: string): Promise<void> {
  const { mode } = await stat(folder)
  if ((mode & 0o001) === 0) await chmod(folder, (mode & 0o7777) | 0o011)
}

/**
 * Creates a server with a superuser `bindery` and starts it. Commits survive the end of its process, but not a power
 * cut.
 * @param options.folder the folder for its data, which stay and are used again. If absent, a temporary one, whose
 * commits do not survive a power cut
 */
export async function startPostgres({ folder: given }: { folder?: string } = {}): Promise<Postgres> {
  const user = await userOf()
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'pg-')))
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o700)
  if (user.uid !== undefined && user.gid !== undefined) {
    await letThrough(dirname(folder))
    await chown(folder, user.uid, user.gid)
  }
  const data = join(folder, 'data')
  if (!existsSync(join(data, 'PG_VERSION'))) await fillData(data, user)
  const server = new Server({ folder, data, user, keeps: given !== undefined })
  await server.start()
  return server
}

/**
 * Puts the data of a new server there: a copy of those that the first server of the run created, because `initdb` costs
 * most of a start.
 */
async function fillData(data: string, user: { uid?: number; gid?: number }): Promise<void> {
  const template = sharedPath('pg-template')
  if (template !== null && existsSync(template)) return void (await run('cp', ['-a', template, data]))
  await run(
    program('initdb'),
    ['-D', data, '-U', 'bindery', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions'],
    { ...user, cwd: dirname(data) },
  )
  if (template === null) return
  // Under another name until it is complete. Another process may have put its own there.
  const part = `${template}.${process.pid}`
  await run('cp', ['-a', data, part])
  await rename(part, template).catch(() => rm(part, { recursive: true }))
}

interface Place {
  folder: string
  data: string
  user: { uid?: number; gid?: number }
  /** Whether the data stay after the end. */
  keeps: boolean
}

class Server implements Postgres {
  readonly #place: Place
  #child: ChildProcess | null = null
  #databases = 0

  constructor(place: Place) {
    this.#place = place
  }

  #url(database: string): string {
    return `postgresql://bindery@localhost/${database}?host=${encodeURIComponent(this.#place.folder)}`
  }

  async start(): Promise<void> {
    const { folder, data, user, keeps } = this.#place
    const settings = {
      fsync: keeps ? 'on' : 'off',
      listen_addresses: '',
      unix_socket_directories: folder,
      max_connections: '200',
      shared_buffers: '32MB',
    }
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const child = spawn(program('postgres'), ['-D', data, ...args], {
      ...user,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr?.on('data', (part: Buffer) => {
      said = (said + part.toString()).slice(-10_000)
    })
    this.#child = child
    for (;;) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${said}`)
      if (await this.#accepts()) return
      await wait(50)
    }
  }

  async #accepts(): Promise<boolean> {
    const client = new Client({ connectionString: this.#url('postgres') })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('SELECT 1')
      return true
    } catch {
      return false
    } finally {
      await client.end().catch(() => {})
    }
  }

  async database(given?: string): Promise<string> {
    const name = given ?? `test_${++this.#databases}`
    const client = new Client({ connectionString: this.#url('postgres') })
    await client.connect()
    try {
      await client.query(`CREATE DATABASE ${name}`).catch((error: { code?: string }) => {
        if (given === undefined || error.code !== '42P04') throw error
      })
    } finally {
      await client.end()
    }
    return this.#url(name)
  }

  pid(): number {
    return this.#child?.pid ?? -1
  }

  /**
   * Stops the server's processes with their sockets open, or lets them continue. The main process is stopped first, so
   * that it starts no others.
   */
  async freeze(value: boolean): Promise<void> {
    const signal = value ? 'SIGSTOP' : 'SIGCONT'
    process.kill(this.pid(), signal)
    const children = await readFile(`/proc/${this.pid()}/task/${this.pid()}/children`, 'utf8')
    for (const pid of children.trim().split(/\s+/).map(Number)) {
      try {
        process.kill(pid, signal)
      } catch (error) {
        // A worker (autovacuum, a closed connection) that ended after the list was read.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    }
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((done) => child.once('exit', done))
    child.kill(signal)
    await ended
  }

  crash(): Promise<void> {
    return this.#end('SIGQUIT')
  }

  async keep(): Promise<void> {
    await run('cp', ['-a', this.#place.data, `${this.#place.data}-kept`])
  }

  async restore(): Promise<void> {
    await rm(this.#place.data, { recursive: true, force: true })
    await run('cp', ['-a', `${this.#place.data}-kept`, this.#place.data])
  }

  async close(): Promise<void> {
    // `SIGINT` writes all data before the end.
    await this.#end(this.#place.keeps ? 'SIGINT' : 'SIGQUIT')
    if (!this.#place.keeps) await rm(this.#place.folder, { recursive: true, force: true })
  }
}
