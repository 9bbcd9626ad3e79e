// Texts for each list, as complete sentences. One template with the noun as a parameter would give wrong sentences in
// some languages.
import { say } from '../../../words/say.ts';

export type ListWords = {
  /** Label of the search field; missing if the list has no search. */
  search?: string;
  /** Placeholder of the search field. It names the fields that the search reads. */
  searchHint?: string;
  loading: string;
  notLoaded: string;
  /** Shown if the list has no rows at all, even without a search. */
  empty: string;
  noMatch: string;
  emptyPage: string;
  showAll: string;
};

/** `canAdd` is true if the page also has the form that adds a row. The same holds for the lists below. */
export function productListWords(canAdd: boolean): ListWords {
  return {
    search: say('Search products'),
    searchHint: say('Name or URL'),
    loading: say('Loading products...'),
    notLoaded: say('We could not load the products.'),
    empty: canAdd ? say('No products found. Create your first product above.') : say('No products found.'),
    noMatch: say('No products match.'),
    emptyPage: say('There are no products on this page.'),
    showAll: say('Show all products'),
  };
}

export function userListWords(canAdd: boolean): ListWords {
  return {
    search: say('Search users'),
    searchHint: say('Words of an email or name'),
    loading: say('Loading users...'),
    notLoaded: say('We could not load the users.'),
    empty: canAdd ? say('No users found. Create your first user above.') : say('No users found.'),
    noMatch: say('No users match.'),
    emptyPage: say('There are no users on this page.'),
    showAll: say('Show all users'),
  };
}

/** The list of cohorts has no search, so only a few of its texts are ever shown. */
export function cohortListWords(canAdd: boolean): ListWords {
  return {
    loading: say('Loading cohorts...'),
    notLoaded: say('We could not load the cohorts.'),
    empty: canAdd ? say('No cohorts found. Create your first cohort above.') : say('No cohorts found.'),
    noMatch: say('No cohorts found.'),
    emptyPage: say('There are no cohorts on this page.'),
    showAll: say('Show all cohorts'),
  };
}

export function memberListWords(): ListWords {
  return {
    search: say('Search members'),
    searchHint: say('Words of an email or name'),
    loading: say('Loading members...'),
    notLoaded: say('We could not load the members.'),
    empty: say('Nobody is in this cohort yet.'),
    noMatch: say('No members match.'),
    emptyPage: say('There are no members on this page.'),
    showAll: say('Show all members'),
  };
}

export function couponListWords(canAdd: boolean): ListWords {
  return {
    search: say('Search coupons'),
    searchHint: say('Start of a code or email'),
    loading: say('Loading coupons...'),
    notLoaded: say('We could not load the coupons.'),
    empty: canAdd ? say('No coupons found. Create your first coupon above.') : say('No coupons found.'),
    noMatch: say('No coupons match.'),
    emptyPage: say('There are no coupons on this page.'),
    showAll: say('Show all coupons'),
  };
}

export function uploadListWords(canAdd: boolean): ListWords {
  return {
    loading: say('Loading uploads...'),
    notLoaded: say('We could not load the uploads.'),
    empty: canAdd
      ? say('No uploads found. Upload a file of codes on the page Codes.')
      : say('No uploads found.'),
    noMatch: say('No uploads match.'),
    emptyPage: say('There are no uploads on this page.'),
    showAll: say('Show all uploads'),
  };
}

/** The list of figures has neither search nor filters, so only a few of its texts are ever shown. */
export function figureListWords(): ListWords {
  return {
    loading: say('Loading figures...'),
    notLoaded: say('We could not load the figures.'),
    empty: say('There are no products yet.'),
    noMatch: say('No products match.'),
    emptyPage: say('There are no products on this page.'),
    showAll: say('Show all products'),
  };
}
