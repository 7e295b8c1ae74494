import * as assert from 'uvu/assert'
import { suiteWith } from '../support/suite.js'
import { translationService } from './fixture.js'

const [test, here] = await suiteWith('translations/runs', () => translationService('deepl'))

const PAGE = `---
description: What it is
icon: house
---

# Guide

Open the [settings](other.md "t") of \`npm run\` and press **save**.

{% hint style="info" %}
Take care of {{ name }}.
{% endhint %}

| Name | Value |
| ---- | ----- |
| one | two |

\`\`\`js
const untouched = 'text'
\`\`\`
`

test('a translated space equals its source except for the translated text', async () => {
  const source = await here.source({ guide: PAGE, other: '# Other\n\nSecond page.\n' })
  const made = await here.create(source)
  assert.is(made.status, 'completed', JSON.stringify(made))
  assert.equal(made.instructions, { object: 'document', data: { schemaVersion: 1 }, nodes: [] })
  assert.is(made.result.language, made.language)
  assert.ok((made.stats.latestRunDuration ?? 300) < 300, 'seconds')
  const [before, after] = [await here.pages(source), await here.pages(made.result.space)]
  assert.equal(
    Object.values(after).map(({ id }) => id),
    Object.values(before).map(({ id }) => id),
  )
  assert.is(after.guide?.title, 'GUIDE')
  assert.is(after.guide?.description, 'WHAT IT IS')
  assert.is(
    after.guide?.markdown.trim(),
    before.guide?.markdown
      .trim()
      .replace('# Guide', '# GUIDE')
      .replace('Open the [settings]', 'OPEN THE [SETTINGS]')
      .replace(' of `npm run` and press **save**', ' OF `npm run` AND PRESS **SAVE**')
      .replace('Take care of', 'TAKE CARE OF')
      .replace('| Name | Value |', '| NAME | VALUE |')
      .replace('| one | two |', '| ONE | TWO |'),
  )
})

test.run()
