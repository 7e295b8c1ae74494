import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Desk, openDesk } from './fixture.js'

const MIB = 1024 * 1024
const FILES = { 'SUMMARY.md': '# Table of contents\n\n* [A](a.md)\n', 'a.md': '# A\n' }
const [test, here] = await suiteWith('uploads with forms', startService)

/** Sends a form like a browser or curl. */
async function send(
  desk: Desk,
  parts: Record<string, string | { name: string; bytes: Buffer }>,
  path = '/content',
  headers: Record<string, string> = {},
) {
  const form = new FormData()
  for (const [name, part] of Object.entries(parts))
    if (typeof part === 'string') form.append(name, part)
    else form.append(name, new Blob([new Uint8Array(part.bytes)]), part.name)
  const response = await fetch(desk.here.url + desk.url + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${desk.here.admin.token}`, ...headers },
    body: form,
  })
  return { status: response.status, body: (await response.json()) as any }
}

test('an upload may be larger than the JSON limit, and a page of its batch can link to it', async () => {
  const desk = await openDesk(here, FILES)
  const bytes = randomBytes(12 * MIB)
  const changes = [
    { operation: 'insert_files', files: [{ name: 'größe.bin', part: 'upload', ref: 'big' }] },
    { operation: 'insert_page', title: 'B', document: { markdown: '# B\n\n[Download](/files/big)\n' } },
  ]
  const { status, body } = await send(desk, {
    changes: JSON.stringify(changes),
    message: 'Hand in',
    upload: { name: 'x', bytes },
  })
  assert.is(status, 200, JSON.stringify(body))
  assert.equal(body.insertedFiles[0].path, '.gitbook/assets/größe.bin')
  assert.is(Buffer.compare(await desk.bytes('.gitbook/assets/größe.bin'), bytes), 0)
  assert.match((await desk.file('b.md')) ?? '', /\]\(\.gitbook\/assets\/gr.*\.bin\)/)
  assert.is(await desk.git('log', '-1', '--format=%s', 'main'), 'Hand in')
})

test('a form of only files keeps their names, on a change request and with If-Match too', async () => {
  const desk = await openDesk(here, FILES)
  const request = await desk.changeRequest()
  const two = { one: { name: '日本.txt', bytes: Buffer.from('1') }, two: { name: 'b.txt', bytes: Buffer.alloc(0) } }
  const { status, body } = await send(desk, two, `/change-requests/${request.id}/content?compat=false`)
  assert.is(status, 200, JSON.stringify(body))
  assert.equal(
    body.insertedFiles.map((file: { path: string }) => file.path),
    ['.gitbook/assets/日本.txt', '.gitbook/assets/b.txt'],
  )
  assert.is(await desk.file('.gitbook/assets/日本.txt', request.ref), '1')
  assert.is(await desk.file('.gitbook/assets/b.txt', request.ref), '')
  const at = await desk.git('rev-parse', 'main')
  await desk.human({ 'a.md': '# A\n\nMore.\n' })
  assert.is(
    (await send(desk, { c: { name: 'c.txt', bytes: Buffer.from('c') } }, '/content', { 'If-Match': `"${at}"` })).status,
    200,
  )
  assert.is(await desk.file('a.md'), '# A\n\nMore.\n')
})

test('errors in a form are reported, and nothing is changed', async () => {
  const desk = await openDesk(here, FILES)
  const before = await desk.git('rev-parse', 'main')
  const file = { name: 'f.txt', bytes: Buffer.from('f') }
  const insert = (files: object[]) => JSON.stringify([{ operation: 'insert_files', files }])
  const cases: [string, Parameters<typeof send>[1], number, RegExp][] = [
    ['no such part', { changes: insert([{ name: 'f', part: 'other' }]), f: file }, 400, /No change uses the part f/],
    ['part without file', { changes: insert([{ name: 'f', part: 'other' }]) }, 400, /Change 0.*no part other/],
    [
      'two sources',
      { changes: insert([{ name: 'f', part: 'f', base64: 'Zg==' }]), f: file },
      400,
      /exactly one of base64, url and part/,
    ],
    [
      'a part too many',
      { changes: insert([{ name: 'f', part: 'f' }]), f: file, g: file },
      400,
      /No change uses the part g/,
    ],
    ['bad JSON', { changes: '[{]', f: file }, 400, /part "changes" is not valid JSON.*position/],
    ['unknown field', { changes: insert([{ name: 'f', part: 'f' }]), f: file, other: 'x' }, 400, /other/],
    ['nothing', { message: 'x' }, 400, /changes/],
    ['a name of Git', { f: { ...file, name: '.git' } }, 400, /cannot start with/],
    ['21 files', Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`f${i}`, file])), 400, /at most 20 files/],
    [
      'too large',
      { f: { name: 'f.bin', bytes: Buffer.alloc(25 * MIB + 1) } },
      413,
      /f\.bin.*the limit of 26214400 bytes/,
    ],
    ['too large a field', { changes: ' '.repeat(10 * MIB + 1) }, 413, /the limit of 10485760 bytes/],
  ]
  for (const [name, parts, status, message] of cases) {
    const { status: got, body } = await send(desk, parts)
    assert.is(got, status, `${name}: ${JSON.stringify(body)}`)
    assert.match(body.error.message, message, name)
  }
  assert.is(await desk.git('rev-parse', 'main'), before)
  assert.is((await send(desk, { f: { name: 'just.bin', bytes: Buffer.alloc(25 * MIB) } })).status, 200)
})

test('a malformed form is rejected, and so is a form for an endpoint that accepts none', async () => {
  const desk = await openDesk(here, FILES)
  const post = (type: string, text: string, path = '/content') =>
    desk.admin
      .call('post', desk.url + path)
      .set('Content-Type', type)
      .send(text)
      .then((response: any) => response)
  const part = '--x\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\n\r\nf\r\n'
  const field = '--x\r\nContent-Disposition: form-data; name="message"\r\n\r\nf\r\n'
  assert.is((await post('multipart/form-data', part)).status, 400)
  assert.is((await post('multipart/form-data; boundary=x', part)).status, 400)
  assert.match(
    (await post('multipart/form-data; boundary=x', `${part}${part}--x--\r\n`)).body.error.message,
    /two parts named "f"/,
  )
  assert.match(
    (await post('multipart/form-data; boundary=x', `${field}${field}--x--\r\n`)).body.error.message,
    /two parts named "message"/,
  )
  assert.is((await post('multipart/form-data; boundary=x', `${part}--x--\r\n`, '/change-requests')).status, 415)
  for (const charset of ['utf-16', 'x-unheard-of'])
    assert.match(
      (
        await post(
          'multipart/form-data; boundary=x',
          `${field.replace('\r\n\r\n', `\r\nContent-Type: text/plain; charset=${charset}\r\n\r\n`)}--x--\r\n`,
        )
      ).body.error.message,
      /charset/,
    )
  assert.match((await post('text/plain', 'x')).body.error.message, /multipart\/form-data/)
  assert.is((await post('multipart/form-data; boundary=x', `${part}--x--\r\n`)).status, 200)
})

test('a client that disconnects in the middle of a form leaves nothing behind', async () => {
  const desk = await openDesk(here, FILES)
  const before = await desk.git('rev-parse', 'main')
  const { hostname, port } = new URL(here.url)
  await new Promise<void>((done) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`POST ${desk.url}/content HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${here.admin.token}\r\n`)
      socket.write('Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n--x\r\n')
      socket.write('Content-Disposition: form-data; name="f"; filename="f.txt"\r\n\r\nabc', () =>
        setTimeout(() => socket.destroy(), 50),
      )
    })
    socket.on('close', () => done())
  })
  assert.is((await send(desk, { f: { name: 'after.txt', bytes: Buffer.from('x') } })).status, 200)
  assert.is(await desk.git('rev-parse', 'main^'), before)
})

test('a caller without write permission is rejected before the form is read', async () => {
  const desk = await openDesk(here, FILES)
  const reader = await here.caller('read')
  const response = await reader.call('post', `${desk.url}/content`).attach('f', Buffer.from('x'), 'f.txt')
  assert.is(response.status, 403)
})

test.run()
