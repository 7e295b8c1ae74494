import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { requestRefresh, openRefreshSocket } from '../../../src/git/index.js'
import { suite } from '../../support/suite.js'

const test = suite('the socket for refresh requests')

test('a folder whose path is too long for a socket has none', async () => {
  const above = await mkdtemp(join(tmpdir(), 'door-'))
  const folders = ['one', 'two'].map((name) => join(above, 'long'.repeat(30), name))
  for (const folder of folders) await mkdir(folder, { recursive: true })
  const refreshed: string[] = []
  const doors = []
  for (const folder of folders) doors.push(await openRefreshSocket(folder, async (name) => void refreshed.push(name)))
  for (const folder of folders) assert.is(await requestRefresh(folder, 'space'), undefined)
  assert.equal(refreshed, [])
  assert.equal(await readdir(above), ['long'.repeat(30)], 'no socket was made elsewhere')
  for (const door of doors) await door.close()
  await rm(above, { recursive: true, force: true })
})

test.run()
