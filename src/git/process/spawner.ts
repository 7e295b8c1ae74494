/**
 * Entry point of the spawning process. It stays small, so that starting a process is quick however much memory the server uses.
 * For each run it connects to the server's socket and makes that connection the child's stdin and stdout: the data never pass
 * through here. When the server is gone, it ends all children and exits.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { type Environment, type FromSpawner, ID_BYTES, type ToSpawner } from './messages.js'

const STDERR_LIMIT = 64 * 1024
/** How long children may take to end after the server is gone. */
const GRACE_MS = 1000
const socketPath = process.argv[2]
if (!socketPath) throw new Error('usage: spawner <socket>')
const running = new Map<number, ChildProcess>()

function report(message: FromSpawner): void {
  // The server may be gone before 'disconnect' arrives: the callback receives the error.
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal)
  } catch {
    // it has ended by itself
  }
}

function run(id: number, command: string, args: readonly string[], cwd: string, env: Environment): void {
  const socket = connect({ path: socketPath as string, allowHalfOpen: true })
  socket.pause()
  let told = false
  const end = (code: number | null, stderr: string, failure?: string) => {
    socket.destroy()
    running.delete(id)
    if (!told) report({ kind: 'ended', id, code, stderr, ...(failure === undefined ? {} : { failure }) })
    told = true
  }
  socket.on('error', (error) => end(null, '', error.message))
  socket.write(String(id).padEnd(ID_BYTES), () => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: [socket, socket, 'pipe'], detached: true })
    running.set(id, child)
    let stderr = ''
    child.on('spawn', () => {
      socket.destroy()
      report({ kind: 'started', id, pid: child.pid ?? 0 })
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < STDERR_LIMIT) stderr += text.slice(0, STDERR_LIMIT - stderr.length)
    })
    child.on('error', (error) => end(null, stderr, error.message))
    child.on('close', (code, signal) => end(code, stderr, signal ? `ended by ${signal}` : undefined))
  })
}

process.on('message', (message: ToSpawner) => {
  if (message.kind === 'spawn') return run(message.id, message.command, message.args, message.cwd, message.env)
  const child = running.get(message.id)
  if (child) killGroup(child)
})
process.on('disconnect', () => {
  // On SIGTERM, Git removes its lock files; on SIGKILL it cannot. So SIGKILL comes a second later.
  for (const child of running.values()) killGroup(child, 'SIGTERM')
  const deadline = Date.now() + GRACE_MS
  const leave = () => {
    if (running.size > 0 && Date.now() < deadline) return
    for (const child of running.values()) killGroup(child)
    rmSync(dirname(socketPath), { recursive: true, force: true })
    process.exit(0)
  }
  setInterval(leave, 5)
  leave()
})
// Ctrl-C sends SIGINT to the whole foreground group, but the server decides when its children end.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
