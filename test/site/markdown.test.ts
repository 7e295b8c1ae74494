import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { publishSite } from './published.js'

const [test, here] = await suiteWith('sites: markdown of pages', () => startService())

const FILES = {
  'SUMMARY.md':
    '* [Start](README.md)\n* [Guide](guide.md)\n* [Target](folder/target.md)\n* [Private](private.md)\n* [Untitled](untitled.md)\n',
  'README.md': '# Start\n\nText.\n',
  'guide.md': `---
description: How it works.
---

# Guide

<!-- An internal note. -->

See [the target](folder/target.md#part), [the private page](private.md "secret place") and ![a picture](.gitbook/assets/a.png).

{% include ".gitbook/includes/notice.md" %}

Version <code class="expression">space.vars.version</code>.

{% if visitor.claims.never %}
Only for others, with [a link](private.md).
{% endif %}

{% if visitor.claims.never != true %}
For readers.
{% endif %}

\`\`\`html
<!-- a comment in code -->
\`\`\`
`,
  'folder/target.md': '# Target\n\nBack to [the guide](../guide.md).\n',
  'private.md': '---\nif: visitor.claims.never\n---\n\n# Private\n\nText.\n',
  'untitled.md': 'No heading. Write to docs@example.org, or see www.example.org.\n',
  '.gitbook/includes/notice.md': '---\ntitle: Notice\n---\n\nA reusable notice.\n',
  '.gitbook/vars.yaml': 'version: 3.6\n',
  '.gitbook/assets/a.png': 'not a picture',
}

test('the markdown of a page contains exactly the content that its reader sees', async () => {
  const desk = await openDesk(here, FILES)
  const site = await publishSite(here, [desk.space])
  const { status, text, headers } = await site.get('/guide.md')
  assert.is(status, 200)
  assert.is(headers.get('content-type'), 'text/markdown; charset=utf-8')
  assert.match(text, /^---\ntitle: Guide\ndescription: How it works\.\n[^#]*\n---\n\n# Guide\n\nHow it works\.\n/)
  assert.match(text, /A reusable notice\./)
  assert.match(text, /Version 3\\?\.6\./)
  assert.match(text, /For readers\./)
  assert.match(text, /<!-- a comment in code -->/)
  assert.match(text, /\[the target\]\(http:\/\/[^)]+\/target#part\)/)
  assert.match(text, /!\[a picture\]\(http:\/\/[^)]+\/~files\/[^)]+\/a\.png\)/)
  assert.match(text, /\[the private page\]\(#/)
  for (const absent of [/internal note/, /Only for others/, /private\.md/, /\{% if/, /never/])
    assert.not.match(text, absent)
  const bare = 'No heading. Write to docs@example.org, or see www.example.org.'
  assert.match((await site.get('/untitled.md')).text, `\n# Untitled\n\n${bare}\n`)
})

test('the markdown of a page has one path and the same access check as the page', async () => {
  const desk = await openDesk(here, FILES)
  const site = await publishSite(here, [desk.space])
  assert.is((await site.get('/readme.md')).location, '/index.md')
  assert.match((await site.get('/index.md')).text, /\n# Start\n/)
  assert.is((await site.get('/Target.md')).location, '/target.md')
  assert.is((await site.get('/TARGET.MD')).location, '/target.md')
  const html = (await site.get('/guide')).text
  assert.match(html, new RegExp(`<a href="${site.base}/guide\\.md" rel="nofollow">`))
  const [hidden, absent] = [await site.get('/private.md'), await site.get('/absence.md')]
  assert.equal([hidden.status, absent.status], [404, 404])
  assert.not.match(hidden.text, />Private|# Private/)
  await here.admin.call('put', `${site.api}/customization`, { pageActions: { markdown: false } }).expect(200)
  assert.not.match((await site.get('/guide')).text, /guide\.md/)
})

test.run()
