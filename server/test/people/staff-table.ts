/**
 * Who of staff may what, as the operators' guide has it. Every change and every guarded look stands in one row; what stands in
 * none is a look that all of staff may take.
 */
type Role = 'owner' | 'finance' | 'support' | 'viewer';

interface Row {
  row: string;
  roles: readonly Role[];
  /** They see it of one account that they name. */
  ofOneAccount?: readonly Role[];
  acts: readonly string[];
}

export const STAFF_TABLE: readonly Row[] = [
  {
    row: 'profit, trial balance, the proof',
    roles: ['owner', 'finance'],
    acts: ['getProfit', 'getTrialBalance', 'auditBooks', 'getDocument'],
  },
  {
    row: 'orders, invoices and transfers: of all, or of one account',
    roles: ['owner', 'finance'],
    ofOneAccount: ['support', 'viewer'],
    acts: ['listPayments', 'listInvoices', 'listAllTransfers'],
  },
  {
    row: 'receipts, refunds, gateways, credit',
    roles: ['owner', 'finance'],
    acts: [
      'beginPayment',
      'verifyPayment',
      'confirmPayment',
      'refundPayment',
      'settleRefund',
      'bookDocument',
      'changeInvoiceSettings',
      'changePaymentGateway',
      'makeGiftCodes',
      'revokeGiftCode',
      'transferCredit',
    ],
  },
  {
    row: 'prices, rate, margin',
    roles: ['owner', 'finance'],
    acts: [
      'setPrice',
      'unpinPrice',
      'withdrawPrice',
      'previewPricing',
      'changePricing',
      'withdrawPricing',
      'setAccountMargin',
      'previewAccountMargin',
      'setRateSource',
      'removeRateSource',
      'fetchRate',
      'proposePriceList',
      'applyPriceList',
      'withdrawPriceList',
      'useShippedList',
      'refreshCatalog',
      'listProviderModels',
    ],
  },
  {
    row: 'providers, their keys, routes, models, settings, staff; the text and the rules of a key',
    roles: ['owner'],
    acts: [
      'createProvider',
      'changeProvider',
      'deleteProvider',
      'addCredential',
      'removeCredential',
      'testProvider',
      'createModel',
      'changeModel',
      'deleteModel',
      'setRoute',
      'removeRoute',
      'putGroup',
      'deleteGroup',
      'changeSettings',
      'resetOperatorPassword',
      'rotateSecrets',
      'changeBranding',
      'setLogo',
      'removeLogo',
      'forgetReplica',
      'listOperatorTokens',
      'createOperatorToken',
      'revokeOperatorToken',
      'listStaff',
      'addStaff',
      'changeStaff',
      'removeStaff',
      'listOutbox',
      'tryMessenger',
      'createKey',
      'changeKey',
      'rotateKey',
    ],
  },
  {
    row: 'account limits, keys (pause, revoke), people, view as, knowledge, announcements',
    roles: ['owner', 'support'],
    acts: [
      'createAccount',
      'changeAccount',
      'pauseKey',
      'resumeKey',
      'revokeKey',
      'listPeople',
      'changePerson',
      'listPersonSessions',
      'endPersonSessions',
      'viewAs',
      'decideWish',
      'announce',
      'deleteAnnouncement',
      'openIncident',
      'updateIncident',
      'createAccountKnowledgeBase',
      'renameAnyKnowledgeBase',
      'deleteAnyKnowledgeBase',
      'searchAnyKnowledgeBase',
      'addAnyKnowledgeDocument',
      'replaceAnyKnowledgeDocument',
      'deleteAnyKnowledgeDocument',
    ],
  },
  {
    row: 'tickets',
    roles: ['owner', 'finance', 'support'],
    acts: ['listTickets', 'getTicket', 'answerTicket', 'getAttachment'],
  },
  { row: 'stop looking on as a customer', roles: ['owner', 'finance', 'support', 'viewer'], acts: ['endViewAs'] },
];
