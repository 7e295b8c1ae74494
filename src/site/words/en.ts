/** The words of the interface in English. They define the type of the other languages. */
import { type BlockWords, ENGLISH } from '../../render/site/words.js'
import type { SuggestWords } from '../suggest/data.js'
import { plural } from './plural.js'

export interface Words {
  /** Returns `page` together with the title of the site, for the window. */
  windowTitle: (page: string, site: string) => string
  skip: string
  announcement: string
  search: string
  searchLabel: string
  /** The label of the keys that open the search. */
  searchKeys: string
  theme: { label: string; light: string; dark: string; system: string }
  openNavigation: string
  headerLinks: string
  sections: string
  pages: string
  /** The label of the menu with the variants of a section: languages and versions. */
  variants: string
  /** The tags of versions, and the note on pages of old versions. */
  versions: { latest: string; old: string; isOld: string; openLatest: string }
  earlierPages: string
  laterPages: string
  breadcrumbs: string
  onThisPage: string
  /** Returns the parts of "Last changed Nov 12, 2026 by Ada Okafor" around the date. */
  lastChanged: (author: string) => { before: string; after: string }
  /** The same for an earlier change: "Changed Nov 12 by Ada Okafor". */
  changed: (author: string) => { before: string; after: string }
  /** The legend of the margin: changes since a day, and earlier ones. */
  changedSince: (day: string) => string
  changedBefore: string
  commit: string
  /** The signature of the commit. */
  signature: { verified: string; signed: string; unsigned: string; invalid: string }
  edit: string
  moreActions: string
  copyMarkdown: string
  copyMarkdownPurpose: string
  viewMarkdown: string
  downloadPdf: string
  downloadSite: string
  subpages: string
  pager: string
  previous: string
  next: string
  feedback: { question: string; yes: string; no: string; thanks: string; ask: string; send: string }
  /** The words of suggestions, which a script loads when a reader opens them. */
  suggest: SuggestWords
  searching: {
    results: string
    /** Returns the number of results as a text, such as "6 results". */
    count: (count: number) => string
    none: string
    /** The note after the number of results if the search was incomplete. */
    partial: string
    failed: string
    everything: string
    select: string
    open: string
  }
  close: string
  copied: string
  /** The message about an action that failed, such as copying. */
  failed: string
  social: string
  privacy: string
  publishedWith: string
  /** The label of a preview, and the mark of the pages that the previewed change request changes. */
  preview: { site: string; changeRequest: (number: number) => string; conflicts: string; changed: string }
  /** The notice on a page as it was. */
  past: {
    notice: (day: string) => string
    open: string
    /** The list of the versions of a page. */
    versions: string
    current: string
    limit: (count: number) => string
  }
  /** The notice on a page with marked changes. */
  since: {
    title: (day: string) => string
    changed: (count: number) => string
    added: (count: number) => string
    removed: (count: number) => string
    none: string
    /** The page is new to its reader, or its versions cannot be compared. */
    isNew: string
    unknown: string
    /** The date or the commit in the address cannot be used. */
    invalid: string
    pages: (count: number) => string
    noPages: string
    /** The labels of blocks and pages. */
    marks: { added: string; changed: string; moved: string }
    close: string
    lastVisit: string
  }
  missing: PlainWords & { similar: string }
  /** The pages without a site's customization: failures, and the sign-in. */
  plain: {
    tooMany: PlainWords
    unavailable: PlainWords
    failed: PlainWords
    badRange: PlainWords
    noMethod: PlainWords
    preparing: PlainWords
    badTime: PlainWords
    notSignedIn: PlainWords & { action: string }
    signedOut: PlainWords & { action: string }
  }
  /** The words within the text of pages. */
  blocks: BlockWords
}

interface PlainWords {
  title: string
  reason: string
}

export const en: Words = {
  windowTitle: (page, site) => `${page} · ${site}`,
  skip: 'Skip to content',
  announcement: 'Announcement',
  search: 'Search',
  searchLabel: 'Search the documentation',
  searchKeys: 'Ctrl K',
  theme: { label: 'Theme', light: 'Light', dark: 'Dark', system: 'System' },
  openNavigation: 'Open navigation',
  headerLinks: 'Header links',
  sections: 'Sections',
  pages: 'Pages',
  variants: 'Versions and languages',
  versions: {
    latest: 'Latest',
    old: 'Old',
    isOld: 'This page describes an old version.',
    openLatest: 'Open the latest version',
  },
  earlierPages: 'Earlier pages',
  laterPages: 'More pages',
  breadcrumbs: 'Breadcrumbs',
  onThisPage: 'On this page',
  lastChanged: (author) => ({ before: 'Last changed ', after: author === '' ? '' : ` by ${author}` }),
  changed: (author) => ({ before: 'Changed ', after: author === '' ? '' : ` by ${author}` }),
  changedSince: (day) => `Changed since ${day}`,
  changedBefore: 'Changed before',
  commit: 'Commit',
  signature: {
    verified: 'Signature verified',
    signed: 'Signed, not verified',
    unsigned: 'Not signed',
    invalid: 'Signature invalid',
  },
  edit: 'Edit',
  moreActions: 'More page actions',
  copyMarkdown: 'Copy as Markdown',
  copyMarkdownPurpose: 'For notes and assistants',
  viewMarkdown: 'View as Markdown',
  downloadPdf: 'Download PDF',
  downloadSite: 'Download site for offline reading',
  subpages: 'In this section',
  pager: 'Next and previous page',
  previous: 'Previous',
  next: 'Next',
  feedback: {
    question: 'Was this page helpful?',
    yes: 'Yes',
    no: 'No',
    thanks: 'Thank you for your feedback.',
    ask: 'What could be better?',
    send: 'Send',
  },
  suggest: {
    action: 'Suggest a change',
    choose: 'Choose the part of the page that you want to change.',
    none: 'No part of this page can be changed here.',
    text: 'Text of this part, as Markdown',
    send: 'Send',
    asMember: 'Send as a member',
    memberNote: 'Members send it in the app, in their own name.',
    guest: 'Without an account',
    name: 'Your name',
    mail: 'Email address',
    privacy:
      'You confirm the suggestion by mail. If it is accepted, your name and address become a permanent part of the history of the content.',
    sent: 'Check your mail',
    sentNote: 'If the address exists, it gets a link. Open it within a day to confirm your suggestion.',
    confirmTitle: 'Confirm your suggestion',
    confirm: 'Confirm',
    thanks: 'Thank you for your suggestion.',
    thanksNote: 'A member of the team reads it before it is published.',
    over: 'This link was already used or has expired.',
    stale:
      'This part of the page has changed in the meantime. Your text is below: copy it, then choose the part again.',
    unchanged: 'Change the text before you send it.',
    misleading: 'Remove invisible characters, and do not begin with ---.',
    notSent: 'It was not sent. Check your connection, then try again.',
    invalid: 'Enter your name and a valid email address.',
    tooLong: 'This text is too long.',
    tooMany: 'There are too many suggestions at the moment. Try again later.',
    openApp: 'Open the app',
    openAppNote: 'The app keeps your text for an hour.',
    cancel: 'Cancel',
  },
  searching: {
    results: 'Results',
    count: plural('en', { one: '{count} result', other: '{count} results' }),
    none: 'No results',
    partial: 'Not everything could be searched in time. Search again in a moment.',
    failed: 'The search is not available at the moment.',
    everything: 'Everything',
    select: 'Select',
    open: 'Open',
  },
  close: 'Close',
  copied: 'Copied',
  failed: 'That did not work. Try again.',
  social: 'Social accounts',
  privacy: 'Privacy',
  publishedWith: 'Published with Bindery',
  preview: {
    site: 'Preview. Readers may see something else.',
    changeRequest: (number) => `Preview of change request #${number}`,
    conflicts: 'It conflicts with main, so changes to main since its last update are missing.',
    changed: 'changed',
  },
  past: {
    notice: (day) => `This page is shown as of ${day}.`,
    open: 'Show the current page',
    versions: 'Versions of this page',
    current: 'current',
    limit: (count) => `The newest ${count} changes are listed.`,
  },
  since: {
    title: (day) => `Changes since ${day}`,
    changed: plural('en', { one: '{count} block changed', other: '{count} blocks changed' }),
    added: plural('en', { one: '{count} block added', other: '{count} blocks added' }),
    removed: plural('en', { one: '{count} block removed', other: '{count} blocks removed' }),
    none: 'The text of this page has not changed.',
    isNew: 'This page is new.',
    unknown: 'The changes of this page cannot be shown.',
    invalid: 'The address of this page contains no valid date or commit, so no changes are marked.',
    pages: plural('en', {
      one: '{count} page of this site has changed',
      other: '{count} pages of this site have changed',
    }),
    noPages: 'No page of this site has changed.',
    marks: { added: 'New', changed: 'Changed', moved: 'Moved' },
    close: 'Show without marks',
    lastVisit: 'Changes since your last visit',
  },
  missing: {
    title: 'No page has this address',
    reason: 'The page may have moved before redirects were kept, or the address has a typo.',
    similar: 'Pages with a similar address',
  },
  plain: {
    tooMany: { title: 'Too many requests', reason: 'Wait a minute, then load the page again.' },
    unavailable: { title: 'Not available at the moment', reason: 'Load the page again in a few seconds.' },
    failed: { title: 'This page cannot be shown', reason: 'The server failed. Load the page again later.' },
    badRange: { title: 'This part of the file does not exist', reason: 'Load the whole file.' },
    preparing: { title: 'The download is being prepared', reason: 'It starts on this page when it is ready.' },
    badTime: {
      title: 'This point in time does not exist',
      reason: 'Use a day such as 2026-05-01, a time such as 2026-05-01T12:00:00Z, or the ID of a commit.',
    },
    noMethod: { title: 'This address is read-only', reason: 'Use the method GET or HEAD.' },
    notSignedIn: {
      title: 'You could not be signed in',
      reason: 'The sign-in of this site sent an invalid response.',
      action: 'Try again',
    },
    signedOut: { title: 'You are signed out', reason: 'Close this page, or sign in again.', action: 'Sign in' },
  },
  blocks: ENGLISH,
}
