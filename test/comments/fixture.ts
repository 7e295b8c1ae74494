import { startService, type TestService } from '../support/service.js'
import { deskOf, type Desk } from '../commits/fixture.js'

export const GUIDE = ['# Guide', 'First paragraph.', 'Second **bold** paragraph.', 'Third paragraph.', ''].join('\n\n')
export const PRICES = [
  '# Prices',
  '| Plan | Price |\n| --- | --- |\n| Basic | 5 |\n| Pro | 20 |\n| Team | 20 |',
  '',
].join('\n\n')

/** A desk that every comment test can use. */
export const FILES = {
  'README.md': '# Home\n\nWelcome.\n',
  'guide.md': GUIDE,
  'prices.md': PRICES,
  'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [Guide](guide.md)\n* [Prices](prices.md)\n',
}

/** A space with three pages, for comments. */
export async function openDiscussion(here: TestService): Promise<Desk> {
  const space = (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Talk' }).expect(201))
    .body.id
  return deskOf(here, space, FILES)
}

export { startService, type TestService, type Desk }
