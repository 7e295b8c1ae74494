/** The log and the first start as a person at a terminal sees them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { createLog } from '../../src/kernel/log.js'
import { readableLine } from '../../src/kernel/readable-log.js'
import { until } from '../races/server-process.js'
import { moduleArguments } from '../support/own-process.js'
import { databaseSettings } from '../support/service-database.js'
import { suite } from '../support/suite.js'

// @own-process: it starts a server on a terminal
const test = suite('readable log')

test('a line has its time, level, message, fields and the causes of its error', () => {
  const lines: string[] = []
  const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(readableLine(line)) } })
  log.warn({ space: 'abc', size: 3 }, 'A poll failed.')
  log.error({ error: new Error('outer', { cause: new Error('inner') }) }, 'A job failed.')
  assert.match(lines[0] ?? '', /^\d\d:\d\d:\d\d warn {2}A poll failed\. space=abc size=3\n$/)
  assert.match(
    lines[1] ?? '',
    /^\d\d:\d\d:\d\d error A job failed\.\nError: outer\n +at [\s\S]*\ncaused by Error: inner\n$/,
  )
})

test('texts of users cannot control the terminal or forge lines', () => {
  const entry = {
    level: 'warn',
    time: '2026-01-31T12:00:00.000Z',
    msg: 'a\u001b[2Jb\rc',
    name: 'x\u0007\n12:00:00 error forged',
  }
  const line = readableLine(JSON.stringify(entry))
  assert.not.match(line.slice(0, -1), /[\u0000-\u0009\u000b-\u001f\u007f]/)
  assert.equal(line.split('\n').filter((one) => /^\d/.test(one)).length, 1)
})

test('a first start on a terminal prints only what a person needs', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'terminal-'))
  const words = [process.execPath, ...moduleArguments('../../src/main.js', import.meta.url), 'serve']
  const command = `exec ${words.map((word) => `'${word}'`).join(' ')}`
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: dir,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      HOME: dir,
      TMPDIR: dir,
      BINDERY_PORT: '0',
      BINDERY_SITES_PORT: '0',
      ...(await databaseSettings(dir)),
    },
  })
  const ended = once(child, 'exit')
  let output = ''
  child.stdout.on('data', (part: Buffer) => (output += part.toString()))
  await until(() => {
    if (child.exitCode !== null) throw new Error(output)
    return /stops the server\./.exec(output)
  })
  // Ctrl-C.
  child.stdin.write('\u0003')
  const [code] = await ended
  assert.is(code, 0, output)
  const lines = output
    .slice(0, output.indexOf('stops the server.'))
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
  const expected = [
    /^Bindery is ready at http:\/\/127\.0\.0\.1:\d+$/,
    /^ {2}Open {10}http:\/\/127\.0\.0\.1:\d+\/start#\S+ {3}\(signs you in, once, for a day\)$/,
    /^ {2}Sample site {3}http:\/\/127\.0\.0\.1:\d+\/\S+$/,
    /^Programs use the token in .*\/admin-token \(API reference: http:\/\/127\.0\.0\.1:\d+\/docs\)\. Ctrl-C $/,
  ]
  assert.is(lines.length, expected.length, output)
  for (const [at, pattern] of expected.entries()) assert.match(lines[at] ?? '', pattern)
  await rm(dir, { recursive: true, force: true })
})

test.run()
