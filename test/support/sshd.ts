import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A real ssh server with Git behind it, in a separate folder. */
export interface Sshd {
  folder: string
  port: number
  /** `ssh://user@127.0.0.1:port` and a path on this machine. */
  url(path: string): string
  /** An accepted private key, and a rejected one. */
  key: string
  otherKey: string
  /** The server's line for a known-hosts file, and the fingerprint of its key as `ssh-keygen` prints it. */
  hostLine: string
  fingerprint: string
  /** The output of `git-lfs-authenticate`. Null means that the command does not exist, as with plain Git. */
  answerLfs(text: string | null): Promise<void>
  /** The requested commands. */
  commands(): Promise<string[]>
  /** The log output. */
  log(): string
  close(): Promise<void>
}

/** Creates a key pair. Returns the file of the private key. */
export async function makeKey(folder: string, name: string, type = 'ed25519'): Promise<string> {
  const file = join(folder, name)
  await run('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', name, '-f', file])
  return file
}

export const fingerprintOf = async (key: string): Promise<string> =>
  (await run('ssh-keygen', ['-l', '-f', `${key}.pub`])).stdout.split(' ')[1] ?? ''

/** A port that was free a moment ago. */
export const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => done(port))
    })
  })

function binary(): string {
  const found = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
    .map((dir) => join(dir, 'sshd'))
    .find(existsSync)
  if (!found) throw new Error('sshd is needed for this test: install the package openssh-server (scripts/test does).')
  return found
}

/** Starts it on 127.0.0.1 as the user that runs the tests. Logged-in users can only run Git. */
export async function startSshd(): Promise<Sshd> {
  const folder = await mkdtemp(join(tmpdir(), 'sshd-test-'))
  const [key, otherKey, hostKey] = await Promise.all([
    makeKey(folder, 'key'),
    makeKey(folder, 'other'),
    makeKey(folder, 'host'),
  ])
  await writeFile(join(folder, 'authorized_keys'), await readFile(`${key}.pub`))
  const command = join(folder, 'git-only')
  const lfs = join(folder, 'lfs-access')
  await writeFile(
    command,
    `#!/bin/sh\necho "$SSH_ORIGINAL_COMMAND" >> '${join(folder, 'commands')}'\ncase "$SSH_ORIGINAL_COMMAND" in git-lfs-authenticate*) [ ! -e '${lfs}' ] || exec cat '${lfs}';; esac\nexec git shell -c "$SSH_ORIGINAL_COMMAND"\n`,
  )
  await chmod(command, 0o755)
  // sshd chroots into this folder before authentication, and requires it if it runs as root.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 })
  const port = await freePort()
  const settings = {
    ListenAddress: `127.0.0.1:${port}`,
    HostKey: hostKey,
    AuthorizedKeysFile: join(folder, 'authorized_keys'),
    StrictModes: 'no',
    UsePAM: 'no',
    PidFile: 'none',
    PermitRootLogin: 'prohibit-password',
    PasswordAuthentication: 'no',
    KbdInteractiveAuthentication: 'no',
    ForceCommand: command,
    DisableForwarding: 'yes',
    LogLevel: 'VERBOSE',
  }
  const config = join(folder, 'sshd_config')
  await writeFile(
    config,
    Object.entries(settings)
      .map(([name, value]) => `${name} ${value}\n`)
      .join(''),
  )
  const { child, log } = await listening(binary(), config)
  const [type, base64] = (await readFile(`${hostKey}.pub`, 'utf8')).split(' ')
  return {
    folder,
    port,
    url: (path) => `ssh://${userInfo().username}@127.0.0.1:${port}${path}`,
    key,
    otherKey,
    hostLine: `[127.0.0.1]:${port} ${type} ${base64}`,
    fingerprint: await fingerprintOf(hostKey),
    answerLfs: (text) => (text === null ? rm(lfs, { force: true }) : writeFile(lfs, text)),
    commands: async () =>
      (await readFile(join(folder, 'commands'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== ''),
    log,
    close: async () => {
      const ended = new Promise((done) => child.once('exit', done))
      child.kill()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function listening(file: string, config: string): Promise<{ child: ChildProcess; log: () => string }> {
  const child = spawn(file, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  await new Promise<void>((ready, failed) => {
    child.stderr?.on('data', (piece: Buffer) => {
      said += piece.toString()
      if (said.includes('Server listening on')) ready()
    })
    child.once('exit', () => failed(new Error(`sshd ended: ${said}`)))
  })
  return { child, log: () => said }
}
