import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type ServerProcess, startServer, TOKEN } from '../../races/server-process.js'
import { suite } from '../../support/suite.js'
import { head, openRaw, type RawConnection } from './raw-http.js'

const test = suite('memory of a process with a 256 MB heap')
const MIB = 1024 * 1024
/**
 * The maximum memory of the process in MB: about 150 when idle, and 128 for bodies, which are held twice while one is
 * joined.
 */
const PEAK_MB = 550

async function memory(server: ServerProcess, what: 'VmHWM' | 'VmRSS'): Promise<number> {
  const text = await readFile(`/proc/${server.child.pid}/status`, 'latin1')
  return Math.round(Number(new RegExp(`${what}:\\s+(\\d+)`).exec(text)?.[1]) / 1024)
}

/** Resolves when the peer has received the data or has disconnected. */
const taken = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done)
      resolve()
    }
    socket.on('drain', done).on('close', done)
  })

/** Sends in pieces, as fast as the peer reads them. */
async function pour(raw: RawConnection, text: string, bytes: number): Promise<void> {
  const piece = Buffer.from(text.repeat(Math.ceil((256 * 1024) / text.length)))
  for (let sent = 0; sent < bytes && !raw.socket.destroyed; sent += piece.length)
    if (!raw.socket.write(piece)) await taken(raw.socket)
}

test(
  'the process survives nested bodies, many large bodies, and forms',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'bindery-memory-'))
    const server = await startServer(dir, { NODE_OPTIONS: '--max-old-space-size=256' })
    try {
      const auth = { Authorization: `Bearer ${TOKEN}` }
      const made = await fetch(`${server.url}/v1/orgs/${server.organization}/spaces`, {
        method: 'POST',
        headers: { authorization: auth.Authorization },
      })
      const content = `/v1/spaces/${((await made.json()) as { id: string }).id}/content`
      const idle = await memory(server, 'VmHWM')
      const shapes = ['[', '{"a":', '[1,', '[[],', '{"a":"b","c":', '["\\u0000",']
      const all = async (path: string, headers: Record<string, string>, count: number, close: string) => {
        const open = await Promise.all(
          Array.from({ length: count }, async (_, n) => {
            const raw = await openRaw(server.url)
            raw.send(head('POST', path, 9.5 * MIB, headers))
            await pour(raw, shapes[n % shapes.length] as string, 9.4 * MIB)
            if (close === 'end') raw.send(Buffer.alloc(0.2 * MIB, ' '))
            return raw
          }),
        )
        for (const raw of open) raw.close()
      }
      for (const path of ['/v1/sign-in', '/v1/sign-in/token', '/v1/invites/accept']) await all(path, {}, 12, 'end')
      await all(content, {}, 12, 'end')
      await all(content, auth, 24, 'end')
      const valid = `{"changes":[${'[],'.repeat(195_000)}[]]}`
      await Promise.all(
        Array.from({ length: 12 }, async () => {
          const raw = await openRaw(server.url)
          raw.send(head('POST', content, valid.length, auth) + valid)
          await raw.received(/"error":\{"code":(400|429|503)/)
          raw.close()
        }),
      )
      const held = await Promise.all(
        Array.from({ length: 120 }, async () => {
          const raw = await openRaw(server.url)
          raw.send(head('POST', content, 9.5 * MIB, auth))
          raw.send('{"message":"')
          await pour(raw, 'x', 9 * MIB)
          return raw
        }),
      )
      const forms = Array.from({ length: 12 }, async (_, n) => {
        const raw = await openRaw(server.url)
        raw.send(
          head('POST', content, 100 * MIB, { ...auth, 'Content-Type': 'multipart/form-data; boundary=b' }).replace(
            'Content-Type: application/json\r\n',
            '',
          ),
        )
        raw.send(`--b\r\nContent-Disposition: form-data; name="f${n}"; filename="f"\r\n\r\n`)
        await pour(raw, 'x', 24 * MIB)
        return raw
      })
      const sent = await Promise.all(forms)
      const alive = await fetch(`${server.url}/healthz`)
      assert.is(alive.status, 200)
      const peak = await memory(server, 'VmHWM')
      for (const raw of [...held, ...sent]) raw.close()
      assert.ok(peak < PEAK_MB, `peak ${peak} MB, idle ${idle} MB`)
      const user = await fetch(`${server.url}/v1/user`, { headers: { authorization: auth.Authorization } })
      assert.is(user.status, 200, server.output())
    } finally {
      await server.kill('tree')
      await rm(dir, { recursive: true, force: true })
    }
  },
  { timeoutMs: 240_000 },
)

test.run()
