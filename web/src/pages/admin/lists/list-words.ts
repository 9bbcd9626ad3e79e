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

export function productListWords(): ListWords {
  return {
    search: say('Search products'),
    searchHint: say('Name or URL'),
    loading: say('Loading products...'),
    notLoaded: say('We could not load the products.'),
    empty: say('No products found. Create your first product above.'),
    noMatch: say('No products match.'),
    emptyPage: say('There are no products on this page.'),
    showAll: say('Show all products'),
  };
}

export function userListWords(): ListWords {
  return {
    search: say('Search users'),
    searchHint: say('Start of an email or name'),
    loading: say('Loading users...'),
    notLoaded: say('We could not load the users.'),
    empty: say('No users found. Create your first user above.'),
    noMatch: say('No users match.'),
    emptyPage: say('There are no users on this page.'),
    showAll: say('Show all users'),
  };
}

export function couponListWords(): ListWords {
  return {
    search: say('Search coupons'),
    searchHint: say('Start of a code or email'),
    loading: say('Loading coupons...'),
    notLoaded: say('We could not load the coupons.'),
    empty: say('No coupons found. Create your first coupon above.'),
    noMatch: say('No coupons match.'),
    emptyPage: say('There are no coupons on this page.'),
    showAll: say('Show all coupons'),
  };
}

export function uploadListWords(): ListWords {
  return {
    loading: say('Loading uploads...'),
    notLoaded: say('We could not load the uploads.'),
    empty: say('No uploads found. Upload a file of codes on the page Codes.'),
    noMatch: say('No uploads match.'),
    emptyPage: say('There are no uploads on this page.'),
    showAll: say('Show all uploads'),
  };
}
