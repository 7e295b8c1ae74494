import * as assert from 'uvu/assert'
import { zipOf } from '../imports/archives.js'
import { startImporting } from '../imports/service.js'
import { startWebsite } from '../imports/website.js'
import type { Files } from '../support/bare-repository.js'
import { suiteWith } from '../support/suite.js'
import { deskOf, openDesk } from './fixture.js'

const MOST = 10
const [test, here] = await suiteWith('changes of full folders', async () => {
  const service = await startImporting({ BINDERY_FOLDER_LIMIT_ENTRIES: String(MOST) })
  const site = await startWebsite()
  return { service, site, close: () => Promise.all([service.close(), site.close()]) }
})
const { service, site } = here

const pages = (folder: string, count: number): Files =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${folder}page-${n}.md`, `# Page ${n}\n`]))
const insert = (title: string, into: string): object => ({
  operation: 'insert_page',
  title,
  document: { markdown: 'Text\n' },
  into,
})

test("an edit that adds a file to a full folder returns 413 with the folder's name", async () => {
  const desk = await openDesk(service, {
    'README.md': '# Home\n',
    'guide/README.md': '# Guide\n',
    ...pages('guide/', MOST - 1),
  })
  const guide = await desk.id('guide')
  const head = await desk.git('rev-parse', 'main')
  const { error } = await desk.write([insert('One more', guide)], 413)
  assert.is(
    error.message,
    `The folder "guide" would have more than ${MOST} files and folders. Put the new files into another folder.`,
  )
  assert.is(await desk.git('rev-parse', 'main'), head)
  const request = await desk.changeRequest()
  await request.write([insert('One more', guide)], 413)
  // An edit that adds no entry is possible, even in a folder that already has too many.
  await desk.human(pages('guide/', MOST + 5))
  await desk.write([{ operation: 'update_page', page: await desk.id('guide/page-3'), document: { markdown: 'New\n' } }])
  await desk.write([{ operation: 'delete_page', page: await desk.id('guide/page-4') }])
  await desk.write([insert('One more', await desk.id('guide'))], 413)
})

test('a content import that fills a folder beyond the limit ends with the reason', async () => {
  const archive = await zipOf(Object.fromEntries(Array.from({ length: MOST + 1 }, (_, n) => [`p${n}.md`, `# ${n}\n`])))
  site.pages.set('/many.zip', { headers: { 'content-type': 'application/zip' }, body: archive })
  const desk = await deskOf(service, await service.space())
  const head = await desk.git('rev-parse', 'main')
  const { body } = await service.admin
    .call('post', `${desk.url}/content/import`, { url: `${site.url}/many.zip`, source: 'zip' })
    .expect(413)
  assert.match(body.error.message, `would have more than ${MOST} files and folders`)
  assert.is(await desk.git('rev-parse', 'main'), head)
})

test.run()
