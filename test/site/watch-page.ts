/** Detects in Chromium all effects of hostile content: scripts, requests, navigation, and markup that could cause them. */
import type { HTTPRequest, Page } from 'puppeteer-core'

/** A page whose requests stay on the host of the sites. */
export interface WatchedPage {
  page: Page
  /** Calls of `alert` and the like, and requests and navigations that content caused. */
  events: string[]
  /** Answers requests of this address with a document under a policy. */
  serve(url: string, body: string, policy: string | null): void
}

/** Picture formats may come from any host: teams show badges. */
const MEDIA = new Set(['image', 'media'])

/** Opens a page that records the actions of its documents. */
export async function watchPage(page: Page, origin: string): Promise<WatchedPage> {
  page.setDefaultTimeout(120_000)
  const events: string[] = []
  const served = new Map<string, { body: string; policy: string | null }>()
  page.on('dialog', (dialog) => {
    events.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (message.text().startsWith('ran ')) events.push(message.text())
  })
  page.on('popup', () => events.push('popup'))
  await page.evaluateOnNewDocument(() => {
    for (const name of ['alert', 'confirm', 'prompt', 'print', 'open'])
      Object.defineProperty(window, name, { value: (value: unknown) => console.info(`ran ${value}`) })
  })
  await page.setRequestInterception(true)
  const answer = async (request: HTTPRequest): Promise<void> => {
    const url = request.url()
    const own = served.get(url)
    if (own)
      return request.respond({
        contentType: 'text/html; charset=utf-8',
        headers: own.policy === null ? {} : { 'Content-Security-Policy': own.policy },
        body: own.body,
      })
    if (url.startsWith(`${origin}/`) || url.startsWith('data:')) return request.continue()
    if (!MEDIA.has(request.resourceType())) events.push(`${request.resourceType()} ${url}`)
    // With 204, a document stays where it is.
    return request.isNavigationRequest() ? request.respond({ status: 204 }) : request.abort()
  }
  page.on('request', (request) => void answer(request))
  return { page, events, serve: (url, body, policy) => void served.set(url, { body, policy }) }
}

/**
 * Lists the markup of a document that could run a script, load from another host or look like the interface. Runs in the
 * browser.
 */
export function faultsIn(document: Document, base: string): string[] {
  const ADDRESSES = /^(?:href|src|action|formaction|xlink:href|data|poster|background|ping|cite|manifest|data-frame)$/
  const FORBIDDEN =
    'iframe,frame,frameset,object,embed,applet,base,style,portal,fencedframe,noscript,plaintext,xmp,svg script,' +
    'foreignObject,animate,set,animateMotion,animateTransform,handler,discard,annotation-xml,maction,mglyph,' +
    '[http-equiv],[onload],[srcdoc],[style],[autofocus],[ping],[shadowrootmode],[nonce],[formaction]'
  const FOLLOWED = /^(?:https?|mailto|tel|sms|ftps?|ircs?|xmpp|slack|vscode):$/
  const PICTURE = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)[;,]/i
  const host = new URL(base).host
  const faults = Array.from(document.querySelectorAll(FORBIDDEN), (one) => one.outerHTML.slice(0, 200))
  const report = (one: Element): void => void faults.push(one.outerHTML.slice(0, 200))
  for (const one of Array.from(document.querySelectorAll('*'))) {
    const name = one.localName
    if (name === 'script') {
      const isData = one.getAttribute('type') === 'application/ld+json' && !/[<]/.test(one.textContent ?? '')
      const src = one.getAttribute('src')
      if (!isData && !(src !== null && new URL(src, base).pathname.includes('/~assets/'))) report(one)
    }
    if (name === 'link' && one.getAttribute('rel') !== 'icon')
      if (!document.head.contains(one) || new URL(one.getAttribute('href') ?? '', base).host !== host) report(one)
    // A field of a form can hide its members, so the prototype reads the attributes.
    for (const attribute of Element.prototype.getAttributeNames.call(one)) {
      const value = Element.prototype.getAttribute.call(one, attribute) ?? ''
      if (/^on/i.test(attribute)) report(one)
      if (!ADDRESSES.test(attribute)) continue
      if (name === 'use' ? value.startsWith('#') : PICTURE.test(value) && /^(?:img|link|source)$/.test(name)) continue
      if (!URL.canParse(value, base) || value === '') continue
      const url = new URL(value, base)
      const isOwn = url.host === host
      if (!FOLLOWED.test(url.protocol) || (/^(?:form|use|script)$/.test(name) && !isOwn)) report(one)
    }
  }
  return faults
}
