/** Writers whose saves are refused, in Chromium: their text becomes suggestions or another change request, and is never lost. */
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { openChromium } from '../site/chromium.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { button, inEditor, saved, stateIs, textOf, typeAfter } from './editor-page.js'

const [test, context] = await suiteWith('desk/editor-refused', async () => {
  const here = await startService()
  const browser = await openChromium(here)
  const close = async (): Promise<void> => {
    await browser.close()
    await here.close()
  }
  return { here, browser, close }
})
const { here, browser } = context
const as = inEditor(here, browser)

const FILES = {
  'SUMMARY.md': '# Table of contents\n\n* [Docker](docker.md)\n',
  'docker.md': '---\ndescription: Why\n---\n\n# Docker\n\nFirst words.\n\n* one\n* two\n\nLast words.\n',
}

/** A change request of the admin, in a space with a page. */
async function opened() {
  const desk = await openDesk(here, FILES)
  const made = await here.admin.call('post', `${desk.url}/change-requests`, { subject: 'Change' }).expect(201)
  const url = `${desk.url}/change-requests/${made.body.id}`
  const id = await desk.id('docker')
  const editor = `/s/${desk.space}/c/${made.body.number}/p/${id}`
  const suggestions = async () => {
    const { body } = await here.admin.call('get', `${url}/comments?order=asc`).expect(200)
    return body.items as { id: string; suggestion?: { original: string; markdown: string } }[]
  }
  const demote = (user: string, role: string) =>
    here.admin.call('patch', `/v1/orgs/${here.organization}/members/${user}`, { role }).expect(200)
  return { desk, url, id, editor, suggestions, demote, ref: `change-requests/${made.body.number}` }
}

test('a writer who may only comment since goes on writing, and sends the text as suggestions', async () => {
  const { desk, url, editor, suggestions, demote, ref } = await opened()
  const writer = await here.caller('edit')
  await as(writer, editor, async (page) => {
    await page.waitForSelector('.pvdoc .tx')
    await demote(writer.user, 'comment')
    await typeAfter(page, 'First', ' mine')
    await stateIs(page, 'may not edit')
    await page.waitForSelector('::-p-xpath(//button[contains(., "Send as suggestions")])')
    await page.waitForSelector('.cm-content[contenteditable=true]')
    await typeAfter(page, 'two', '\n* three')
    await typeAfter(page, 'Last words.', '\n\nA new paragraph.')
    await button(page, 'Send as suggestions')
    await page.waitForFunction(() => /\/c\/1\/discussion$/.test(location.pathname))
    await page.waitForSelector('.sug')
  })
  const sent = await suggestions()
  assert.equal(
    sent.map(({ suggestion }) => [suggestion?.original, suggestion?.markdown]),
    [
      ['First words.', 'First mine words.'],
      ['* one\n* two', '* one\n* two\n* three'],
      ['Last words.', 'Last words.\n\nA new paragraph.'],
    ],
  )
  for (const { id } of sent) await here.admin.call('post', `${url}/comments/${id}/accept`).expect(200)
  assert.is(
    await desk.git('show', `${ref}:docker.md`),
    FILES['docker.md']
      .replace('First', 'First mine')
      .replace('* two', '* two\n* three')
      .replace('Last words.', 'Last words.\n\nA new paragraph.')
      .trimEnd(),
  )
})

test('a person who may only comment opens the editor to suggest, and nothing is saved', async () => {
  const { desk, editor, suggestions, ref } = await opened()
  const reviewer = await here.caller('comment')
  await as(reviewer, editor, async (page) => {
    await page.waitForFunction(() => document.body.innerText.includes('You may suggest changes here'))
    await typeAfter(page, 'First', ' good')
    await stateIs(page, 'Not sent yet')
    // The text outlives a reload.
    await page.reload({ waitUntil: 'load' })
    await button(page, 'Restore')
    await page.waitForFunction(() => document.querySelector('.cm-content')?.textContent?.includes('First good words'))
    await button(page, 'Send as suggestions')
    await page.waitForSelector('.sug')
    await page.goto(`${here.url}${editor}`, { waitUntil: 'load' })
    await page.waitForFunction(() => document.body.innerText.includes('You may suggest changes here'))
    assert.not.match(await page.evaluate(() => document.body.innerText), /Unsaved text/)
  })
  assert.equal(
    (await suggestions()).map(({ suggestion }) => suggestion?.markdown),
    ['First good words.'],
  )
  assert.is(await desk.git('show', `${ref}:docker.md`), FILES['docker.md'].trimEnd())
})

test('a writer who may now only comment suggests in the open change request of another writer', async () => {
  const { desk, url, id, suggestions, demote, ref } = await opened()
  await here.admin.call('patch', url, { status: 'open' }).expect(200)
  const writer = await here.caller('edit')
  await as(writer, `/s/${desk.space}/p/${id}/edit`, async (page) => {
    await page.waitForSelector('.pvdoc .tx')
    await demote(writer.user, 'comment')
    await typeAfter(page, 'First', ' mine')
    await page.waitForFunction(() => document.body.innerText.includes('You may comment in this space.'))
    await button(page, 'Suggest in this change request')
    await page.waitForSelector('.cm-content[contenteditable=true]')
    assert.match(page.url(), /\/c\/1\/p\//)
    await typeAfter(page, 'Last', ' late')
    await button(page, 'Send as suggestions')
    await page.waitForSelector('.sug')
  })
  assert.equal(
    (await suggestions()).map(({ suggestion }) => suggestion?.markdown),
    ['First mine words.', 'Last late words.'],
  )
  assert.is(await desk.file('docker.md'), FILES['docker.md'])
  assert.is(await desk.git('show', `${ref}:docker.md`), FILES['docker.md'].trimEnd())
})

test('a writer whose change request was merged goes on in another one', async () => {
  const { desk, url, editor } = await opened()
  const writer = await here.caller('edit')
  await as(writer, editor, async (page) => {
    await page.waitForSelector('.pvdoc .tx')
    await typeAfter(page, 'First', ' saved')
    await saved(page)
    await here.admin.call('post', `${url}/merge`).expect(200)
    await typeAfter(page, 'Last', ' late')
    await button(page, 'Continue in a change request')
    await saved(page)
    assert.match(page.url(), /\/c\/2\/p\//)
    assert.match(await textOf(page), /Last late words/)
  })
  const main = FILES['docker.md'].replace('First', 'First saved')
  assert.is(await desk.file('docker.md'), main)
  assert.is(await desk.git('show', 'change-requests/2:docker.md'), main.replace('Last', 'Last late').trimEnd())
})

test.run()
