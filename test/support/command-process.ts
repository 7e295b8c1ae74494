import { type ChildProcess, spawn } from 'node:child_process'
import type { Asked, Ended } from './commands.js'

// Runs the commands that its parent requests (`runCommand`), and ends with the parent.
const running = new Set<ChildProcess>()

function run({ id, command, args, cwd, env, input }: Asked): void {
  const tell = (ended: Omit<Ended, 'id'>): void =>
    void (process.connected && process.send?.({ id, ...ended }, () => {}))
  const child = spawn(command, args, { cwd, env, stdio: 'pipe' })
  running.add(child)
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (piece) => out.push(piece))
  child.stderr.on('data', (piece) => err.push(piece))
  child.on('error', ({ message }) => tell({ code: null, stdout: Buffer.concat(out), stderr: message }))
  child.on('close', (code) => {
    running.delete(child)
    tell({ code, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString() })
  })
  // A process that reads no input may end before the input is written.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
}

process.on('message', run)
process.on('disconnect', () => {
  for (const child of running) child.kill('SIGKILL')
  process.exit()
})
