/**
 * The entry point of the spawning process. It stays small, so that starting a process is quick, regardless of the
 * server's memory. For each run, it connects to the server's socket and makes that connection the child's stdin and
 * stdout, so the data never passes through this process. When the server is gone, it ends all children and exits.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { constants } from 'node:os'
import { dirname } from 'node:path'
import type { Duplex, Writable } from 'node:stream'
import { type FromSpawner, type Guard, ID_BYTES, type Spawn, type ToSpawner } from './messages.js'
import { defined, required } from '../../kernel/defined.js'

const STDERR_LIMIT = 256 * 1024
/** Maximum time for children to end after the server is gone, in milliseconds. */
const GRACE_MS = 1000
const socketPath = process.argv[2]
if (!socketPath) throw new Error('usage: spawner <socket>')
const running = new Map<number, { child: ChildProcess; guarded: boolean }>()

/**
 * A shell command that kills its process group when descriptor 4 is closed. That happens when this process dies, for
 * any reason: no process ever writes to the descriptor.
 */
const WATCH = '(read -r _ <&4; kill -KILL 0) </dev/null >/dev/null 2>&1 3<&- &'

/** Returns a shell command that starts the watch, sets the limits, and becomes the command. */
function guardedBy(
  { maxFileBytes, maxCpuSeconds }: Guard,
  command: string,
  args: readonly string[],
): [command: string, args: string[]] {
  const file = maxFileBytes === undefined ? '' : `ulimit -f ${Math.ceil(maxFileBytes / 512)} && `
  // Set only the soft limit: the kernel reports the hard limit as SIGKILL, which has other causes as well.
  const cpu = maxCpuSeconds === undefined ? '' : `ulimit -S -t ${Math.ceil(maxCpuSeconds)} && `
  return ['/bin/sh', ['-c', `${WATCH}\n${file}${cpu}exec "$0" "$@" 4<&-`, command, ...args]]
}

/**
 * Returns a command that starts with a lower priority. Lowering it after the start is too late: when the machine is
 * busy, the command may already have started processes, which keep their priority.
 */
function lowered(command: string, args: readonly string[]): [command: string, args: string[]] {
  return ['nice', ['-n', String(constants.priority.PRIORITY_BELOW_NORMAL), command, ...args]]
}

/** Passes the credential to the child, and keeps the other end of the watch open. */
function attend(child: ChildProcess, { credential }: Guard): void {
  const life = child.stdio[4] as Duplex
  life.on('error', () => {})
  life.resume()
  // Helpers such as git-remote-http may outlive the command.
  child.on('exit', () => killGroup(child))
  if (credential === undefined) return
  const pipe = child.stdio[3] as Writable
  // A remote that needs no credential leaves the pipe unread.
  pipe.on('error', () => {})
  pipe.end(credential)
}

function report(message: FromSpawner): void {
  // The server may be gone before 'disconnect' arrives. The callback receives the error.
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal)
  } catch {
    // The process has already ended.
  }
}

function run(id: number, { command, args, cwd, env, guard, yields }: Spawn): void {
  const socket = connect({ path: required(socketPath), allowHalfOpen: true })
  socket.pause()
  let told = false
  const end = (code: number | null, stderr: string, failure?: string, signal?: NodeJS.Signals | null) => {
    socket.destroy()
    running.delete(id)
    if (!told)
      report({
        kind: 'ended',
        id,
        code,
        stderr,
        ...(signal ? { signal } : {}),
        ...defined({ failure }),
      })
    told = true
  }
  socket.on('error', (error) => end(null, '', error.message))
  socket.write(String(id).padEnd(ID_BYTES), () => {
    const [inner, innerArgs] = yields ? lowered(command, args) : [command, args]
    const [program, given] = guard ? guardedBy(guard, inner, innerArgs) : [inner, innerArgs]
    const guardPipes = guard ? ([guard.credential === undefined ? 'ignore' : 'pipe', 'pipe'] as const) : []
    const child = spawn(program, given, {
      cwd,
      env: { ...process.env, ...env },
      stdio: [socket, socket, 'pipe', ...guardPipes],
      detached: true,
    })
    running.set(id, { child, guarded: guard !== undefined })
    if (guard && child.pid !== undefined) attend(child, guard)
    let stderr = ''
    child.on('spawn', () => {
      socket.destroy()
      report({ kind: 'started', id, pid: child.pid ?? 0 })
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < STDERR_LIMIT) stderr += text.slice(0, STDERR_LIMIT - stderr.length)
    })
    child.on('error', (error) => end(null, stderr, error.message))
    child.on('close', (code, signal) => end(code, stderr, signal ? `ended by ${signal}` : undefined, signal))
  })
}

process.on('message', (message: ToSpawner) => {
  if (message.kind === 'spawn') return run(message.id, message)
  const one = running.get(message.id)
  if (one) killGroup(one.child)
})
process.on('disconnect', () => {
  // On SIGTERM, Git removes its lock files. On SIGKILL, it cannot, so SIGKILL follows a second later.
  for (const { child, guarded } of running.values()) killGroup(child, guarded ? 'SIGKILL' : 'SIGTERM')
  const deadline = Date.now() + GRACE_MS
  const leave = () => {
    if (running.size > 0 && Date.now() < deadline) return
    for (const { child } of running.values()) killGroup(child)
    rmSync(dirname(socketPath), { recursive: true, force: true })
    process.exit(0)
  }
  setInterval(leave, 5)
  leave()
})
// Ctrl-C sends SIGINT to the whole foreground group, but the server decides when its children end.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
